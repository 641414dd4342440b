package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.internal.cache.CachePlan;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long values and null entries of one filter are kept. A setting that is absent is as in
 * bloomguard.cache.
 *
 * @param ttl The lifetime of values; bloomguard.cache.ttl where it is not set.
 * @param softTtl How long a value is served before one caller loads it again while the others are
 *     served with it, until the end of ttl; shorter than ttl, 0 for never;
 *     bloomguard.cache.soft-ttl where it is not set.
 * @param nullTtl The lifetime of null entries; bloomguard.cache.null-ttl where it is not set.
 * @param copy Whether each caller gets a value of its own, also from a local cache;
 *     bloomguard.cache.copy where it is not set.
 */
public record FilterCacheProperties(
    @Nullable Duration ttl,
    @Nullable Duration softTtl,
    @Nullable Duration nullTtl,
    @Nullable Boolean copy) {

  static final FilterCacheProperties NONE = new FilterCacheProperties(null, null, null, null);

  CachePlan plan(String backend, BloomguardProperties.Cache usual, Duration lease) {
    CacheSettings settings =
        new CacheSettings(
            ttl == null ? usual.ttl() : ttl,
            nullTtl == null ? usual.nullTtl() : nullTtl,
            usual.jitter(),
            usual.maxValues(),
            usual.maxNullEntries(),
            lease,
            softTtl == null ? usual.softTtl() : softTtl);
    return new CachePlan(backend, settings, copy == null ? usual.copy() : copy);
  }
}
