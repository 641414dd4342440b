package io.bloomguard.guard.internal.cache;

import io.bloomguard.guard.CacheSettings;

/**
 * The backend and settings with which a value cache keeps entries. Users of one cache must have
 * equal plans.
 *
 * @param backend the name of the backend, such as {@code redis}
 * @param copy whether each caller gets an instance of its own, also from a cache on the heap
 */
public record CachePlan(String backend, CacheSettings settings, boolean copy) {

  CachePlan with(CacheSettings others) {
    return new CachePlan(backend, others, copy);
  }
}
