package io.bloomguard.filter;

/**
 * A key is invalid and never looked up. The message names the rule that the key breaks, and never
 * the key.
 */
public final class InvalidKeyException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /**
   * A refusal of a key.
   *
   * @param message the rule that the key breaks, without the key
   */
  public InvalidKeyException(String message) {
    super(message);
  }
}
