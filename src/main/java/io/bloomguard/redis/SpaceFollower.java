package io.bloomguard.redis;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.client.RedisEnforcement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows the hashings of one filter, as the heads in Redis say them. */
final class SpaceFollower {

  private static final int ATTEMPTS = 8;
  private static final Logger log = LoggerFactory.getLogger(SpaceFollower.class);

  private final RedisFilter filter;
  private final Hashers hashers;
  private final Limits limits;
  private final RedisEnforcement enforcement;
  private final ReentrantLock following = new ReentrantLock();
  private volatile Spaces spaces;
  private volatile Consumer<GenerationStore> onNew = space -> {};

  /** Hashings that the filter had before, and how far the one after each was at that moment. */
  private final Map<Hashing, List<PartitionHead.Seen>> left = new ConcurrentHashMap<>();

  /**
   * Supposes that the filter has a hashing, until a head says otherwise.
   *
   * @param hashers what this process can follow
   */
  SpaceFollower(RedisFilter filter, Hashers hashers, Limits limits, Space supposed) {
    this.filter = filter;
    this.hashers = hashers;
    this.limits = limits;
    this.enforcement = filter.enforcement();
    this.spaces = new Spaces(generations(supposed), null);
    spaces.current().startReplica();
  }

  /** What serves and what is to come, as far as is known. */
  Spaces spaces() {
    return spaces;
  }

  /** Whether the filter rejects, whatever its hashing. */
  RedisEnforcement enforcement() {
    return enforcement;
  }

  /** Says what is told to every hashing before it is used, the present one included. */
  void onNew(Consumer<GenerationStore> action) {
    onNew = action;
    onNew.accept(spaces.current());
  }

  /** A hashing that is to take the place of the present one; nobody takes notice of it yet. */
  RedisGenerations begin(Spaces now, Space wanted) {
    RedisGenerations next = following(now, wanted);
    onNew.accept(next);
    return next;
  }

  /**
   * Adds to both from now on.
   *
   * @throws IllegalStateException if another change has begun meanwhile
   */
  @SuppressWarnings("ReferenceEquality") // another object: another hashing
  void begin(Spaces both) {
    following.lock();
    try {
      RedisGenerations known = spaces.next();
      if (spaces.current() != both.current() || (known != null && known != both.next())) {
        throw new IllegalStateException(
            "Another change of filter '"
                + filter.name()
                + "' has begun; ask for the rebuild again");
      }
      install(both);
    } finally {
      following.unlock();
    }
  }

  /**
   * Reads what Redis holds, and follows it.
   *
   * @throws StoreUnavailableException if that cannot be read
   */
  Spaces look() {
    int attempt = 0;
    do {
      spaces.current().look();
    } while (follow() && ++attempt < ATTEMPTS);
    return spaces;
  }

  /** Follows the heads as they were last read; true if that changed anything. Never throws. */
  boolean follow() {
    if (spaces.news() == null) {
      return false;
    }
    following.lock();
    try {
      Spaces now = spaces;
      String news = now.news();
      Spaces next = news == null ? null : spaces(now, Hashing.Mark.parse(news));
      if (next == null || next.equals(now)) {
        return false;
      }
      install(next);
      return true;
    } finally {
      following.unlock();
    }
  }

  private @Nullable Spaces spaces(Spaces now, Hashing.Mark mark) {
    boolean arriving = mark.relation() == '<';
    RedisGenerations current = space(now, arriving ? mark.other() : mark.own(), false);
    if (current == null || mark.relation() == ' ') {
      return current == null ? null : new Spaces(current, null);
    }
    RedisGenerations next = space(now, arriving ? mark.own() : mark.other(), true);
    return next == null ? null : new Spaces(current, next);
  }

  /** The one of a hashing, given as a head says it; null if this process cannot follow it. */
  private @Nullable RedisGenerations space(Spaces now, String text, boolean arriving) {
    Hashing hashing = Hashing.parse(text);
    Space space = hashing == null ? null : hashers.space(hashing, arriving);
    if (hashing == null || space == null) {
      return null;
    }
    RedisGenerations known = now.of(hashing);
    return known == null ? following(now, space) : known;
  }

  private RedisGenerations generations(Space space) {
    return new RedisGenerations(filter, space, limits, System::nanoTime, enforcement);
  }

  /** What comes after what this process has followed so far. */
  private RedisGenerations following(Spaces now, Space space) {
    RedisGenerations fresh = generations(space);
    // Redis may have gone back to a hashing of before, which lacks what was added since.
    fresh.goesOnFrom(now.current(), left.getOrDefault(space.hashing(), List.of()));
    return fresh;
  }

  /** An add that is still under way to what is replaced goes to what replaces it as well. */
  @SuppressWarnings("ReferenceEquality") // another object: another hashing
  private static void forgetAdds(Spaces before, Spaces after) {
    for (RedisGenerations old :
        new @Nullable RedisGenerations[] {before.current(), before.next()}) {
      if (old != null && old != after.current() && old != after.next()) {
        old.forgetAdds();
      }
    }
  }

  /** Adds look at the spaces before and after: so these change before any head is accepted. */
  @SuppressWarnings("ReferenceEquality") // another object: another hashing
  void install(Spaces fresh) {
    Spaces before = spaces;
    RedisGenerations current = fresh.current();
    RedisGenerations next = fresh.next();
    if (current != before.current() && current != before.next()) {
      onNew.accept(current);
    }
    if (next != null && next != before.next()) {
      onNew.accept(next);
    }
    spaces = fresh;
    forgetAdds(before, fresh);
    if (current != before.current()) {
      left.put(before.current().hashing(), current.seen());
      before.current().stopReplica();
      current.startReplica();
    }
    if (next == null) {
      current.standAlone();
      log.info("Filter '{}' is hashed as {}", filter.name(), current.hashing().text());
    } else {
      current.pair(Hashing.Pair.leaving(current.hashing(), next.hashing()));
      next.pair(Hashing.Pair.arriving(next.hashing(), current.hashing()));
      if (before.next() == null) {
        log.info(
            "Filter '{}' changes from {} to {}; adds go to both until it is built",
            filter.name(),
            current.hashing().text(),
            next.hashing().text());
      }
    }
  }
}
