package io.bloomguard.guard;

/**
 * The key is on a blacklist, and the guarded method asked for an exception. Never holds the key.
 */
public class KeyRejectedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public KeyRejectedException(String filter) {
    super("The key is rejected: filter '" + filter + "' holds it");
  }
}
