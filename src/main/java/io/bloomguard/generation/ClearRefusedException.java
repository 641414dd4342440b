package io.bloomguard.generation;

/** A filter was to be cleared that must not be. */
public class ClearRefusedException extends RuntimeException {

  /**
   * @param message why, and what to do; without any key
   */
  public ClearRefusedException(String message) {
    super(message);
  }
}
