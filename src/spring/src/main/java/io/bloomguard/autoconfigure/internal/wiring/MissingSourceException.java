package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.guard.StartRefusedException;

/**
 * A filter's source, or exact source, that needs a part which the application does not have;
 * refused if a caller asks the filter.
 */
final class MissingSourceException extends StartRefusedException {

  private static final long serialVersionUID = 1L;

  /**
   * @param use the source, such as {@code JDBC source}
   * @param part the part that it needs
   * @param action how to provide it
   */
  MissingSourceException(String filter, String use, String part, String action) {
    super(
        "Filter '%s' has a %s, which needs %s; this application has none"
            .formatted(filter, use, part),
        action);
  }
}
