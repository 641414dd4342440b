package io.bloomguard.guard.internal.cache;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.CacheUseException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.CacheOverrides;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache that is made at its first use, after its users have decided how it keeps entries. Users
 * that only write, or only decide, leave that to the others.
 */
public final class PlannedCache implements Supplier<ValueCache> {

  private static final String OWN_CACHE =
      "Give one of them a cache of its own, by cache = \"...\", or equal settings";

  private final String name;
  private final ValueCaches caches;
  private final String filter;
  private final @Nullable ValueCodec codec;
  private final ReentrantLock lock = new ReentrantLock();
  private CachePlan plan;

  /** The user that decided on the plan; null while it is the default of the first filter. */
  private @Nullable String decided;

  private volatile @Nullable ValueCache made;

  /**
   * @param filter the filter of the first user
   */
  public PlannedCache(String name, String filter, ValueCaches caches) {
    this.name = name;
    this.filter = filter;
    this.caches = caches;
    this.plan = caches.plan(filter);
    this.codec = caches.codec(name, plan);
  }

  /**
   * Notes a user of the cache.
   *
   * @param other its filter
   * @param caller the user, for messages
   * @param overrides the user's settings for entries; null if it has none
   * @throws CacheUseException if other users have different settings
   */
  public void require(String other, String caller, @Nullable CacheOverrides overrides) {
    CachePlan theirs = caches.plan(other);
    lock.lock();
    try {
      if (!theirs.backend().equals(plan.backend()) || theirs.copy() != plan.copy()) {
        throw new CacheUseException(
            "shares the cache '%s' of the filters '%s' (%s) and '%s' (%s)"
                .formatted(name, filter, place(plan), other, place(theirs)),
            OWN_CACHE);
      }
      if (overrides == null) {
        return;
      }
      CachePlan wanted = theirs.with(overrides.over(theirs.settings()));
      requireSoftBeforeEnd(wanted.settings());
      if (decided == null && made == null) {
        decided = caller;
        plan = wanted;
      } else if (!wanted.equals(plan)) {
        throw new CacheUseException(
            "keeps entries of the cache '%s' with %s, where %s keeps them with %s"
                .formatted(
                    name,
                    lifetimes(wanted),
                    decided == null ? "the filter '" + filter + "'" : decided,
                    lifetimes(plan)),
            OWN_CACHE);
      }
    } finally {
      lock.unlock();
    }
  }

  private void requireSoftBeforeEnd(CacheSettings wanted) {
    Duration soft = wanted.softTtl();
    if (soft.compareTo(wanted.ttl()) >= 0) {
      throw new CacheUseException(
          "keeps values of the cache '%s' with soft-ttl=%s, which is not shorter than ttl=%s"
              .formatted(name, soft, wanted.ttl()),
          "Set softTtl to a part of the ttl, or to \"0s\" for none");
    }
  }

  /**
   * Refuses a user whose values the cache could never give back.
   *
   * @throws CacheUseException if the values are of such a type
   */
  public void requireReadable(ValueType<?> type) {
    String refusal = codec == null || !type.shared() ? null : codec.refusal(type.type());
    if (refusal != null) {
      throw new CacheUseException(
          "keeps values in the cache '%s' as JSON, but %s".formatted(name, refusal),
          "Declare a concrete type, such as a record, or say by @JsonTypeInfo what it is, or set"
              + " caching = NULLS or NONE");
    }
  }

  /**
   * The codec that makes each caller's own copy of a value; null if all callers get the same
   * instance.
   */
  public @Nullable ValueCodec copier() {
    return plan.copy() ? codec : null;
  }

  @Override
  public ValueCache get() {
    ValueCache there = made;
    return there == null ? make() : there;
  }

  private ValueCache make() {
    lock.lock();
    try {
      ValueCache there = made;
      if (there == null) {
        there = caches.make(name, plan, codec);
        made = there;
      }
      return there;
    } finally {
      lock.unlock();
    }
  }

  private static String place(CachePlan plan) {
    return "backend " + plan.backend() + (plan.copy() ? ", copied" : "");
  }

  private static String lifetimes(CachePlan plan) {
    CacheSettings settings = plan.settings();
    return "ttl=%s, soft-ttl=%s, null-ttl=%s, jitter=%s, max-null-entries=%s"
        .formatted(
            settings.ttl(),
            settings.softTtl(),
            settings.nullTtl(),
            settings.jitter(),
            settings.maxNullEntries());
  }
}
