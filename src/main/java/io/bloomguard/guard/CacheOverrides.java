package io.bloomguard.guard;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one user of a cache in place of its filter's; null for a setting it does not
 * change.
 */
public record CacheOverrides(
    @Nullable Duration ttl,
    @Nullable Duration softTtl,
    @Nullable Double refreshBeta,
    @Nullable Duration nullTtl,
    @Nullable Double jitter,
    @Nullable Long maxNullEntries) {

  /** The settings that result from these overrides. */
  public CacheSettings over(CacheSettings base) {
    return new CacheSettings(
        ttl == null ? base.ttl() : ttl,
        nullTtl == null ? base.nullTtl() : nullTtl,
        jitter == null ? base.jitter() : jitter,
        base.maxValues(),
        maxNullEntries == null ? base.maxNullEntries() : maxNullEntries,
        base.lease(),
        new RefreshSettings(
            softTtl == null ? base.refresh().softTtl() : softTtl,
            refreshBeta == null ? base.refresh().beta() : refreshBeta));
  }
}
