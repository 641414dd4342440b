package io.bloomguard.filter;

import java.io.IOException;

/**
 * A serial form is damaged, truncated, foreign or of a newer version. The message names the
 * difference.
 */
public final class CorruptFilterException extends IOException {

  private static final long serialVersionUID = 1L;

  /**
   * A fault that was found in what was read.
   *
   * @param message the difference to the expected form
   */
  public CorruptFilterException(String message) {
    super(message);
  }

  /**
   * A fault that another exception has shown.
   *
   * @param message the difference to the expected form
   * @param cause the exception
   */
  public CorruptFilterException(String message, Throwable cause) {
    super(message, cause);
  }
}
