package io.bloomguard.autoconfigure;

import io.bloomguard.generation.ManagedFilter;
import io.bloomguard.guard.GuardedFilter;

/**
 * One filter, seen from its two sides.
 *
 * @param properties its settings
 * @param managed how it is filled
 * @param guarded how it is asked
 */
record ConfiguredFilter(FilterProperties properties, ManagedFilter managed, GuardedFilter guarded) {

  String name() {
    return guarded.name();
  }
}
