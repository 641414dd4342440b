package io.bloomguard.redis.migration;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.client.RedisEnforcement;
import io.bloomguard.redis.generation.Limits;
import io.bloomguard.redis.generation.RedisFilter;
import io.bloomguard.redis.generation.RedisGenerations;
import io.bloomguard.redis.generation.SchemeContext;
import io.bloomguard.redis.image.HashScheme;
import io.bloomguard.redis.partition.PartitionHead;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows the schemes of one filter, as the heads in Redis say them. */
public final class SchemeTracker {

  private static final int ATTEMPTS = 8;
  private static final Logger log = LoggerFactory.getLogger(SchemeTracker.class);

  private final RedisFilter filter;
  private final SchemeResolver resolver;
  private final Limits limits;
  private final RedisEnforcement enforcement;
  private final ReentrantLock following = new ReentrantLock();
  private volatile ActiveSchemes schemes;
  private volatile Consumer<GenerationStore> onNew = context -> {};

  /** Schemes that the filter had before, and how far the one after each was at that moment. */
  private final Map<HashScheme, List<PartitionHead.Seen>> left = new ConcurrentHashMap<>();

  /**
   * Supposes that the filter has a scheme, until a head says otherwise.
   *
   * @param resolver what this process can follow
   */
  public SchemeTracker(
      RedisFilter filter, SchemeResolver resolver, Limits limits, SchemeContext supposed) {
    this.filter = filter;
    this.resolver = resolver;
    this.limits = limits;
    this.enforcement = filter.enforcement();
    this.schemes = new ActiveSchemes(generations(supposed), null);
    schemes.current().startReplica();
  }

  /** What serves and what is to come, as far as is known. */
  public ActiveSchemes schemes() {
    return schemes;
  }

  /** Whether the filter rejects, whatever its scheme. */
  public RedisEnforcement enforcement() {
    return enforcement;
  }

  /** Says what is told to every scheme before it is used, the present one included. */
  public void onNew(Consumer<GenerationStore> action) {
    onNew = action;
    onNew.accept(schemes.current());
  }

  /** A scheme that is to take the place of the present one; no process takes notice of it yet. */
  public RedisGenerations begin(ActiveSchemes now, SchemeContext wanted) {
    RedisGenerations next = following(now, wanted);
    onNew.accept(next);
    return next;
  }

  /**
   * Adds to both from now on.
   *
   * @throws IllegalStateException if another migration has begun meanwhile
   */
  @SuppressWarnings("ReferenceEquality") // another object: another scheme
  public void begin(ActiveSchemes both) {
    following.lock();
    try {
      RedisGenerations known = schemes.next();
      if (schemes.current() != both.current() || (known != null && known != both.next())) {
        throw new IllegalStateException(
            "Another scheme migration of filter '"
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
  public ActiveSchemes look() {
    int attempt = 0;
    do {
      schemes.current().look();
    } while (follow() && ++attempt < ATTEMPTS);
    return schemes;
  }

  /** Follows the heads as they were last read; true if that changed anything. Never throws. */
  public boolean follow() {
    if (schemes.otherScheme() == null) {
      return false;
    }
    following.lock();
    try {
      ActiveSchemes now = schemes;
      String other = now.otherScheme();
      ActiveSchemes next = other == null ? null : schemes(now, HashScheme.Mark.parse(other));
      if (next == null || next.equals(now)) {
        return false;
      }
      install(next);
      return true;
    } finally {
      following.unlock();
    }
  }

  private @Nullable ActiveSchemes schemes(ActiveSchemes now, HashScheme.Mark mark) {
    boolean arriving = mark.relation() == '<';
    RedisGenerations current = context(now, arriving ? mark.other() : mark.own(), false);
    if (current == null || mark.relation() == ' ') {
      return current == null ? null : new ActiveSchemes(current, null);
    }
    RedisGenerations next = context(now, arriving ? mark.own() : mark.other(), true);
    return next == null ? null : new ActiveSchemes(current, next);
  }

  /** The one of a scheme, given as a head says it; null if this process cannot follow it. */
  private @Nullable RedisGenerations context(ActiveSchemes now, String text, boolean arriving) {
    HashScheme scheme = HashScheme.parse(text);
    SchemeContext context = scheme == null ? null : resolver.context(scheme, arriving);
    if (scheme == null || context == null) {
      return null;
    }
    RedisGenerations known = now.of(scheme);
    return known == null ? following(now, context) : known;
  }

  private RedisGenerations generations(SchemeContext context) {
    return new RedisGenerations(filter, context, limits, System::nanoTime, enforcement);
  }

  /** What comes after what this process has followed so far. */
  private RedisGenerations following(ActiveSchemes now, SchemeContext context) {
    RedisGenerations fresh = generations(context);
    // Redis may have gone back to a scheme of before, which lacks what was added since.
    fresh.goesOnFrom(now.current(), left.getOrDefault(context.scheme(), List.of()));
    return fresh;
  }

  /** An add that is still under way to what is replaced goes to what replaces it as well. */
  @SuppressWarnings("ReferenceEquality") // another object: another scheme
  private static void forgetAdds(ActiveSchemes before, ActiveSchemes after) {
    for (RedisGenerations old :
        new @Nullable RedisGenerations[] {before.current(), before.next()}) {
      if (old != null && old != after.current() && old != after.next()) {
        old.forgetAdds();
      }
    }
  }

  /** Adds look at the schemes before and after: so these change before any head is accepted. */
  @SuppressWarnings("ReferenceEquality") // another object: another scheme
  public void install(ActiveSchemes fresh) {
    ActiveSchemes before = schemes;
    RedisGenerations current = fresh.current();
    RedisGenerations next = fresh.next();
    if (current != before.current() && current != before.next()) {
      onNew.accept(current);
    }
    if (next != null && next != before.next()) {
      onNew.accept(next);
    }
    schemes = fresh;
    forgetAdds(before, fresh);
    if (current != before.current()) {
      left.put(before.current().scheme(), current.seen());
      before.current().stopReplica();
      current.startReplica();
    }
    if (next == null) {
      current.standAlone();
      log.info("Filter '{}' is hashed as {}", filter.name(), current.scheme().text());
    } else {
      current.pair(HashScheme.Pair.leaving(current.scheme(), next.scheme()));
      next.pair(HashScheme.Pair.arriving(next.scheme(), current.scheme()));
      if (before.next() == null) {
        log.info(
            "Filter '{}' changes from {} to {}; adds go to both until it is built",
            filter.name(),
            current.scheme().text(),
            next.scheme().text());
      }
    }
  }
}
