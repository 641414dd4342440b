package io.bloomguard.guard.internal;

import io.bloomguard.guard.CacheSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one user of a cache in place of its filter's; null for a setting it does not
 * change.
 *
 * @param ttl the lifetime of values
 * @param softTtl the age past which one caller loads a value again; zero for never
 * @param nullTtl the lifetime of null entries
 * @param jitter lifetimes are stretched by a random factor of 1 to 1 + jitter; 0 to 1
 * @param maxNullEntries the bound on null entries alive at once
 * @param automatic whether the user keeps values only while no write of their rows is known that
 *     the guard does not see
 */
public record CacheOverrides(
    @Nullable Duration ttl,
    @Nullable Duration softTtl,
    @Nullable Duration nullTtl,
    @Nullable Double jitter,
    @Nullable Long maxNullEntries,
    boolean automatic) {

  /**
   * {@return the settings that result from these overrides}
   *
   * @param base the settings of the filter
   */
  public CacheSettings over(CacheSettings base) {
    return new CacheSettings(
        ttl == null ? base.ttl() : ttl,
        nullTtl == null ? base.nullTtl() : nullTtl,
        jitter == null ? base.jitter() : jitter,
        base.maxValues(),
        maxNullEntries == null ? base.maxNullEntries() : maxNullEntries,
        base.lease(),
        softTtl == null ? base.softTtl() : softTtl);
  }
}
