package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/** A key could not be stored in its filter, so the write that would make its row visible fails. */
public class AddFailedException extends RuntimeException {

  /**
   * The failure of an add.
   *
   * @param message the fault and the remedy, without any key
   * @param cause the exception of the store, null for none
   */
  public AddFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
