package io.bloomguard.guard;

/**
 * The entry of the value cache for a key.
 *
 * @param <V> the type of the value
 */
public sealed interface CacheLookup<V> {

  /**
   * A value.
   *
   * @param <V> the type of the value
   * @param value the value, never null
   */
  record Hit<V>(V value) implements CacheLookup<V> {}

  /**
   * A value that is to be loaded again before it expires, by one of the callers that find it; the
   * others take it as a hit.
   *
   * @param <V> the type of the value
   * @param value the value, never null
   * @param version random, and different for each stored value, even if the values are equal
   */
  record Due<V>(V value, long version) implements CacheLookup<V> {}

  /**
   * A null entry: the key was looked up and had no value.
   *
   * @param <V> the type of the value that there is none of
   */
  record NullHit<V>() implements CacheLookup<V> {
    private static final NullHit<?> INSTANCE = new NullHit<>();
  }

  /**
   * Nothing.
   *
   * @param <V> the type of the value that there is none of
   */
  record Miss<V>() implements CacheLookup<V> {
    private static final Miss<?> INSTANCE = new Miss<>();
  }

  /**
   * {@return an entry with a value}
   *
   * @param <V> the type of the value
   * @param value the value, never null
   */
  static <V> CacheLookup<V> hit(V value) {
    return new Hit<>(value);
  }

  /**
   * {@return the one null entry}
   *
   * @param <V> the type of the value that there is none of
   */
  @SuppressWarnings("unchecked") // holds no value
  static <V> CacheLookup<V> nullHit() {
    return (CacheLookup<V>) NullHit.INSTANCE;
  }

  /**
   * {@return the one miss}
   *
   * @param <V> the type of the value that there is none of
   */
  @SuppressWarnings("unchecked") // holds no value
  static <V> CacheLookup<V> miss() {
    return (CacheLookup<V>) Miss.INSTANCE;
  }
}
