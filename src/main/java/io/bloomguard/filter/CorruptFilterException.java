package io.bloomguard.filter;

import java.io.IOException;

/**
 * A serial form is damaged, truncated, foreign or of a newer version. The message names the
 * difference.
 */
public final class CorruptFilterException extends IOException {

  private static final long serialVersionUID = 1L;

  public CorruptFilterException(String message) {
    super(message);
  }

  public CorruptFilterException(String message, Throwable cause) {
    super(message, cause);
  }
}
