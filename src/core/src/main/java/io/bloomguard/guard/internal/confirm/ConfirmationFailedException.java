package io.bloomguard.guard.internal.confirm;

/** An exact source could not answer. The message is logged and never holds a key. */
public class ConfirmationFailedException extends Exception {

  private static final long serialVersionUID = 1L;

  public ConfirmationFailedException(String message) {
    super(message);
  }
}
