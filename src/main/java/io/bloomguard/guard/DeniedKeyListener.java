package io.bloomguard.guard;

/**
 * Hears of every key that a filter denies. Called on the request's thread, so it returns at once.
 *
 * <p>A key is told as the caller gave it, or in its canonical form. It must not be kept: what is
 * remembered of it must be bounded and must not show it.
 */
@FunctionalInterface
public interface DeniedKeyListener {

  /** Nobody listens. */
  DeniedKeyListener NONE = key -> {};

  /** The filter answered {@link Membership#ABSENT} for {@code key}. */
  void onDenied(Object key);
}
