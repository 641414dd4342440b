package io.bloomguard.guard;

import java.util.List;
import java.util.stream.Stream;
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

  /** {@return whether a change outlives this process, which then knows it again} */
  default boolean outlivesProcess() {
    return true;
  }

  /**
   * Disarms the filter because a key that exists was rejected.
   *
   * @param generation the generation that has rejected it; 0 if that is not known
   * @param keyHash the key's {@linkplain MembershipStore#keyHash hash}, or a name that shows
   *     nothing of the key
   */
  default void disarm(long generation, String keyHash) {
    disarm(generation);
  }

  /**
   * {@return the keys that the filter is known to have rejected wrongly; {@link Proof#NONE} if
   * there is none} Sends no request.
   */
  default Proof proof() {
    return Proof.NONE;
  }

  /**
   * Arms the filter, which then rejects again if its mode is to enforce.
   *
   * @throws RuntimeException if the change cannot be sent to the others; nothing has changed then
   */
  void arm();

  /**
   * Arms the filter.
   *
   * @param repaired whether it has the keys by now that it has rejected wrongly: then the {@link
   *     #proof} is forgotten
   * @throws RuntimeException if the change cannot be sent to the others; nothing has changed then
   */
  default void arm(boolean repaired) {
    arm();
  }

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
   * The keys that one generation has rejected although they exist.
   *
   * @param generation the latest generation that has rejected wrongly; 0 if that is not known
   * @param keyHashes the first {@value #MOST} keys, as they were named to {@link #disarm(long,
   *     String)}
   */
  record Proof(long generation, List<String> keyHashes) {

    /** The most keys that are kept. */
    public static final int MOST = 100;

    /** No wrong rejection. */
    public static final Proof NONE = new Proof(0, List.of());

    /**
     * {@return this proof and another key}
     *
     * @param by the generation that has rejected it: a new one begins a new proof; 0 if that is not
     *     known
     * @param keyHash the key's name, empty for none
     */
    public Proof with(long by, String keyHash) {
      Proof before = by == generation || by == 0 ? this : new Proof(by, List.of());
      return keyHash.isEmpty()
              || before.keyHashes.size() >= MOST
              || before.keyHashes.contains(keyHash)
          ? before
          : new Proof(
              before.generation,
              Stream.concat(before.keyHashes.stream(), Stream.of(keyHash)).toList());
    }
  }

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
