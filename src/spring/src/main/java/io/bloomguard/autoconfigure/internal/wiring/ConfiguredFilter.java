package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.internal.GuardedFilter;
import org.jspecify.annotations.Nullable;

/**
 * One filter, seen from its two sides.
 *
 * @param properties its settings
 * @param managed how it is filled
 * @param guarded how it is asked
 * @param missing what its source lacks, so that it has none; null where that is nothing
 */
public record ConfiguredFilter(
    FilterProperties properties,
    ManagedFilter managed,
    GuardedFilter guarded,
    @Nullable MissingSourceException missing) {

  public String name() {
    return guarded.name();
  }
}
