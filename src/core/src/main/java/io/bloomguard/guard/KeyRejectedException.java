package io.bloomguard.guard;

/**
 * The key is on a blacklist, and the guarded method asked for an exception. Never holds the key.
 *
 * <p>It is an answer, not a fault: it has no stack trace, and takes neither a cause nor suppressed
 * exceptions, so that one instance serves all calls of a method.
 */
public class KeyRejectedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * The answer for one filter.
   *
   * @param filter the name of the filter that holds the key
   */
  public KeyRejectedException(String filter) {
    super("The key is rejected: filter '" + filter + "' holds it", null, false, false);
  }
}
