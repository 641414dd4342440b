package io.bloomguard.guard;

import java.util.concurrent.CompletionException;

/** The failures of stages. */
public final class Failures {

  private Failures() {}

  /**
   * {@return a failure without the wrapper that stages put around it}
   *
   * @param failure the failure of a stage
   */
  public static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
