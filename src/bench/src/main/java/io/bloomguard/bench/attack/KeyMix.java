package io.bloomguard.bench.attack;

import java.util.ArrayDeque;
import java.util.SplittableRandom;

/**
 * What the n-th request asks for: of a hundred, 90 an absent id, 9 a hot one, and one an id that
 * was inserted just before.
 *
 * <p>Absent ids are drawn from 2<sup>50</sup>, so that practically none comes twice. One in ninety
 * is the id that is inserted as soon as its 404 is there: a cached null of it is stale from then
 * on.
 */
final class KeyMix {

  static final int HOT = 1_000;

  private static final long FIRST_ABSENT = 1_000_000_000_000L;
  private static final long ABSENT = 1L << 50;
  private static final int HUNDRED = 100;

  /** What a request is, and the status of its right answer. */
  enum Kind {
    ABSENT(404),
    /** Absent still: it is inserted after the answer. */
    COMING(404),
    INSERT(201),
    NEW(200),
    HOT(200);

    final int status;

    Kind(int status) {
      this.status = status;
    }
  }

  private final SplittableRandom random = new SplittableRandom(1);
  private final ArrayDeque<String> inserted = new ArrayDeque<>();
  private final ShopDatabase database;
  private long lastComing;

  KeyMix(ShopDatabase database) {
    this.database = database;
    this.lastComing = database.rows;
  }

  /** What the n-th request asks for; a hot id where the insert of the new one is late. */
  Kind kind(long n) {
    int slot = (int) (n % HUNDRED);
    if (slot == 0) {
      return Kind.COMING;
    }
    if (slot == HUNDRED / 2 && !inserted.isEmpty()) {
      return Kind.NEW;
    }
    return slot == HUNDRED / 2 || slot % 11 == 5 ? Kind.HOT : Kind.ABSENT;
  }

  /** The id that a request of a kind asks for. */
  String id(Kind kind) {
    return switch (kind) {
      case ABSENT -> database.id(FIRST_ABSENT + random.nextLong(ABSENT));
      case COMING -> database.id(++lastComing);
      case NEW -> inserted.remove();
      case HOT -> hot(random.nextInt(HOT));
      case INSERT -> throw new IllegalArgumentException("An insert follows a request");
    };
  }

  /** The i-th hot id; they are spread over the table. */
  String hot(int i) {
    return database.id(1 + (long) i * (database.rows / HOT));
  }

  /** An insert has been acknowledged. */
  void inserted(String id) {
    inserted.add(id);
  }
}
