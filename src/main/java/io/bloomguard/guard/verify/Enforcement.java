package io.bloomguard.guard.verify;

import org.jspecify.annotations.Nullable;

/**
 * Whether the rejections of a filter take effect, for all processes that share the filter.
 *
 * <p>A change holds in this process at once and in the others within two seconds.
 */
public interface Enforcement {

  /** How the filter stands, as far as this process knows. Asks nothing over a network. */
  Standing standing();

  /**
   * From now on the filter rejects nothing. Never throws: if the change cannot be sent to the
   * others now, it is sent later.
   */
  default void disarm() {
    disarm(0);
  }

  /**
   * The same, with a reason.
   *
   * @param generation the one that has rejected wrongly; 0 if that is not known
   */
  void disarm(long generation);

  /**
   * The filter rejects again, if its mode is to enforce.
   *
   * @throws RuntimeException if the change cannot be sent to the others; nothing has changed then
   */
  void arm();

  /**
   * The same for a generation that has been published, unless it is known to have rejected wrongly
   * already.
   *
   * @return false if the filter stays disarmed
   * @throws RuntimeException if the change cannot be sent to the others; nothing has changed then
   */
  boolean armFor(long generation);

  /**
   * Sets the mode, whatever is configured; leaves a disarmed filter disarmed.
   *
   * @throws RuntimeException if the change cannot be sent to the others; nothing has changed then
   */
  void mode(FilterMode mode);

  /**
   * How a filter stands.
   *
   * @param disarmed whether a wrong rejection has disarmed it
   * @param mode the mode that an operator has set; null for the configured one
   */
  record Standing(boolean disarmed, @Nullable FilterMode mode) {

    /** A filter to which nothing has happened. */
    public static final Standing INITIAL = new Standing(false, null);

    /** The same, disarmed or armed. */
    public Standing disarmed(boolean now) {
      return new Standing(now, mode);
    }

    /** The same in a mode. */
    public Standing in(FilterMode other) {
      return new Standing(disarmed, other);
    }
  }
}
