package io.bloomguard.guard;

/**
 * The listener to every key that a filter denies. Called on the request's thread, so it returns at
 * once.
 *
 * <p>The key is as the caller gave it, or in its canonical form. The listener must not keep it: the
 * traces that it keeps must be bounded and must not reveal the key.
 */
@FunctionalInterface
public interface DeniedKeyListener {

  /** No listener. */
  DeniedKeyListener NONE = key -> {};

  /**
   * The filter answered {@link Membership#ABSENT} for {@code key}.
   *
   * @param key the key, which must not be kept
   */
  void onDenied(Object key);
}
