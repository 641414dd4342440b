package io.bloomguard.guard;

/**
 * The listener to every key that a filter denies. Called on the request's thread, so it returns at
 * once.
 *
 * <p>The key is as the caller gave it, or in its canonical form. It must not be kept: what is
 * remembered of it must be bounded and must not show it.
 */
@FunctionalInterface
public interface DeniedKeyListener {

  /** No listener. */
  DeniedKeyListener NONE = key -> {};

  /** The filter answered {@link Membership#ABSENT} for {@code key}. */
  void onDenied(Object key);
}
