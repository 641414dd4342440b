package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/** A key could not be stored in its filter, so the write that would make its row visible fails. */
public class AddFailedException extends RuntimeException {

  public AddFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
