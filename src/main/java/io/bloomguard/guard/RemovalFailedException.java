package io.bloomguard.guard;

import org.jspecify.annotations.Nullable;

/**
 * A removal whose answer did not come, or that the store refused or could not decide: it may have
 * taken effect, so it must not be repeated.
 */
public class RemovalFailedException extends RuntimeException {

  public RemovalFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
