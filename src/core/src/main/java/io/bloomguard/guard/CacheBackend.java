package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/**
 * A place in which values, null entries and leases are kept. The bean with the name of a filter's
 * backend makes its cache; without one it is on this process' heap.
 */
public interface CacheBackend {

  /** {@return the value of the {@code backend} property that chooses it, such as {@code mongo}} */
  String name();

  /**
   * {@return a new cache}
   *
   * @param name the name of the cache
   * @param settings lifetimes and bounds
   * @param codec what turns values into bytes; null where they are kept as they are, which only the
   *     place on the heap does
   */
  ValueCache cache(String name, CacheSettings settings, @Nullable ValueCodec codec);
}
