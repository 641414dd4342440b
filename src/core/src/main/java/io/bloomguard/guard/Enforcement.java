package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/**
 * Whether the rejections of a filter take effect, for all processes that share the filter.
 *
 * <p>A change takes effect in this process at once and in the others within two seconds.
 */
public interface Enforcement {

  /** {@return the standing of the filter, as far as this process knows} Sends no request. */
  Standing standing();

  /**
   * Disarms the filter, which then rejects nothing. Never throws: if the change cannot be sent to
   * the other processes now, it is sent later.
   */
  default void disarm() {
    disarm(0);
  }

  /**
   * Disarms the filter because of a generation.
   *
   * @param generation the generation that has rejected wrongly; 0 if that is not known
   */
  void disarm(long generation);

  /**
   * Arms the filter, which then rejects again if its mode is to enforce.
   *
   * @throws RuntimeException if the change cannot be sent to the others; nothing has changed then
   */
  void arm();

  /**
   * Arms the filter for a published generation, unless that is known to have rejected wrongly
   * already.
   *
   * @param generation the generation that now serves
   * @return false if the filter stays disarmed
   * @throws RuntimeException if the change cannot be sent to the others; nothing has changed then
   */
  boolean armFor(long generation);

  /**
   * Sets the mode in place of the configured one; a disarmed filter stays disarmed.
   *
   * @param mode the mode from now on
   * @throws RuntimeException if the change cannot be sent to the others; nothing has changed then
   */
  void mode(FilterMode mode);

  /**
   * The standing of a filter.
   *
   * @param disarmed whether a wrong rejection has disarmed it
   * @param mode the mode that an operator has set; null for the configured one
   */
  record Standing(boolean disarmed, @Nullable FilterMode mode) {

    /** The initial standing: armed, in the configured mode. */
    public static final Standing INITIAL = new Standing(false, null);

    /**
     * {@return this standing, disarmed or armed}
     *
     * @param now whether it is disarmed
     */
    public Standing disarmed(boolean now) {
      return new Standing(now, mode);
    }

    /**
     * {@return the same standing in another mode}
     *
     * @param other the mode that an operator has set
     */
    public Standing in(FilterMode other) {
      return new Standing(disarmed, other);
    }
  }
}
