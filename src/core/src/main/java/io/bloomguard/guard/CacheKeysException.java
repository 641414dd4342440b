package io.bloomguard.guard;

/** A value cache was to be shared by filters that do not hold the same keys equal. */
public final class CacheKeysException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /**
   * The refusal of a second filter.
   *
   * @param filter the filter that was to share the cache
   * @param cache the name of the cache
   * @param other the filter to which it belongs
   */
  public CacheKeysException(String filter, String cache, String other) {
    super(
        ("Filter '%s' cannot use the cache '%s': filter '%s' uses it, and the two"
                + " have different 'keys', so that an entry would stand for different keys")
            .formatted(filter, cache, other));
  }
}
