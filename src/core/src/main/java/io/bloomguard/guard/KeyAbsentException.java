package io.bloomguard.guard;

/**
 * The key does not exist, and the guarded method asked for an exception. Never holds the key.
 *
 * <p>It is an answer, not a fault: it has no stack trace, and takes neither a cause nor suppressed
 * exceptions, so that one instance serves all calls of a method.
 */
public class KeyAbsentException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * The answer for one filter.
   *
   * @param filter the name of the filter that lacks the key
   */
  public KeyAbsentException(String filter) {
    super("No such key in filter '" + filter + "'", null, false, false);
  }
}
