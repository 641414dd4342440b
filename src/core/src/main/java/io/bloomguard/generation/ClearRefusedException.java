package io.bloomguard.generation;

/** A filter must not be cleared. */
public class ClearRefusedException extends RuntimeException {

  /**
   * The refusal of a request to clear a filter.
   *
   * @param message the reason and the remedy, without any key
   */
  public ClearRefusedException(String message) {
    super(message);
  }
}
