package io.bloomguard.guard;

/** What the value cache holds for a key. */
public sealed interface Cached<V> {

  /** A value. */
  record Hit<V>(V value) implements Cached<V> {}

  /**
   * A value that is to be loaded again before it ends, by one of those who find it so; the others
   * take it as a hit.
   *
   * @param version random; that of another value, though an equal one, is another
   */
  record Due<V>(V value, long version) implements Cached<V> {}

  /** A null entry: the key was looked up and nobody had it. */
  record NullHit<V>() implements Cached<V> {
    private static final NullHit<?> INSTANCE = new NullHit<>();
  }

  /** Nothing. */
  record Miss<V>() implements Cached<V> {
    private static final Miss<?> INSTANCE = new Miss<>();
  }

  static <V> Cached<V> hit(V value) {
    return new Hit<>(value);
  }

  @SuppressWarnings("unchecked") // holds no value
  static <V> Cached<V> nullHit() {
    return (Cached<V>) NullHit.INSTANCE;
  }

  @SuppressWarnings("unchecked") // holds no value
  static <V> Cached<V> miss() {
    return (Cached<V>) Miss.INSTANCE;
  }
}
