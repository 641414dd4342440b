package io.bloomguard.guard;

/** The entry of the value cache for a key. */
public sealed interface CacheLookup<V> {

  /** A value. */
  record Hit<V>(V value) implements CacheLookup<V> {}

  /**
   * A value that is to be loaded again before it expires, by one of the callers that find it; the
   * others take it as a hit.
   *
   * @param version random, and different for each stored value, even if the values are equal
   */
  record Due<V>(V value, long version) implements CacheLookup<V> {}

  /** A null entry: the key was looked up and had no value. */
  record NullHit<V>() implements CacheLookup<V> {
    private static final NullHit<?> INSTANCE = new NullHit<>();
  }

  /** Nothing. */
  record Miss<V>() implements CacheLookup<V> {
    private static final Miss<?> INSTANCE = new Miss<>();
  }

  static <V> CacheLookup<V> hit(V value) {
    return new Hit<>(value);
  }

  @SuppressWarnings("unchecked") // holds no value
  static <V> CacheLookup<V> nullHit() {
    return (CacheLookup<V>) NullHit.INSTANCE;
  }

  @SuppressWarnings("unchecked") // holds no value
  static <V> CacheLookup<V> miss() {
    return (CacheLookup<V>) Miss.INSTANCE;
  }
}
