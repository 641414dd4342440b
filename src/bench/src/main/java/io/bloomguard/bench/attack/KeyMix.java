package io.bloomguard.bench.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What the n-th request asks for: of a hundred, 90 an absent id, 9 a hot one, and one an id that
 * was inserted just before.
 *
 * <p>Absent ids are drawn from 2<sup>50</sup>, so that practically none comes twice. One in ninety
 * is the id that is inserted as soon as its 404 is there: a cached null of it is stale from then
 * on.
 */
public final class KeyMix {

  static final int HOT = 1_000;

  private static final long FIRST_ABSENT = 1_000_000_000_000L;
  private static final long ABSENT = 1L << 50;
  private static final int HUNDRED = 100;

  /** The least of the ids that a server holds for proxies, and their number: six digits each. */
  public static final int GATEWAY = 100_000;

  private static final String SHOP =
      " /products/%d HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nContent-Length: 0\r\n\r\n";
  private static final String END = "%d HTTP/1.1\r\nHost: localhost\r\n\r\n";

  /** What a request is, and the status of its right answer. */
  public enum Kind {
    ABSENT("GET" + SHOP, 404),
    /** Absent still: it is inserted after the answer. */
    COMING("GET" + SHOP, 404),
    INSERT("POST" + SHOP, 201),
    NEW("GET" + SHOP, 200),
    HOT("GET" + SHOP, 200),
    /** A proxy's question for a present id, and for an absent one. */
    ALLOWED("GET /v1/authorise/api/products/" + END, 204),
    DENIED("GET /v1/authorise/api/products/" + END, 404),
    /** The same for the membership API. */
    CHECKED(
        "POST /v1/filters/products/check HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
            + " application/json\r\nContent-Length: 17\r\n\r\n{\"keys\":[%d]}",
        200),
    /** Something that is answered with no content. */
    NOTHING("GET /" + END, 204),
    /** A present id by way of a proxy. */
    PROXIED("GET /api/products/" + END, 200);

    final int status;

    @SuppressWarnings("ImmutableEnumChecker") // never written to
    private final byte[] before;

    @SuppressWarnings("ImmutableEnumChecker")
    private final byte[] after;

    Kind(String request, int status) {
      this.status = status;
      int id = request.indexOf("%d");
      before = request.substring(0, id).getBytes(US_ASCII);
      after = request.substring(id + 2).getBytes(US_ASCII);
    }

    void write(String id, ByteBuffer out) {
      out.put(before).put(id.getBytes(US_ASCII)).put(after);
    }
  }

  private final @Nullable Kind only;
  private final SplittableRandom random = new SplittableRandom(1);
  private final ArrayDeque<String> inserted = new ArrayDeque<>();
  private final ShopDatabase database;
  private long lastComing;

  /**
   * @param only what every request is; null for the mix
   */
  KeyMix(ShopDatabase database, @Nullable Kind only) {
    this.database = database;
    this.only = only;
    this.lastComing = database.rows;
  }

  /** What the n-th request asks for; a hot id where the insert of the new one is late. */
  Kind kind(long n) {
    if (only != null) {
      return only;
    }
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
      case ABSENT, DENIED -> database.id(FIRST_ABSENT + random.nextLong(ABSENT));
      case COMING -> database.id(++lastComing);
      case NEW -> inserted.remove();
      case HOT -> hot(random.nextInt(HOT));
      case ALLOWED, CHECKED, NOTHING, PROXIED -> Long.toString(GATEWAY + random.nextInt(GATEWAY));
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
