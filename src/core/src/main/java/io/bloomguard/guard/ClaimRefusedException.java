package io.bloomguard.guard;

/**
 * An add under a claim that changed nothing: the claim stands for other keys, or the filter keeps
 * no claims.
 */
public class ClaimRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * The refusal of an add.
   *
   * @param message the reason and the remedy, without any key
   */
  public ClaimRefusedException(String message) {
    super(message);
  }
}
