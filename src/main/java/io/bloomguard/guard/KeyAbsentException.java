package io.bloomguard.guard;

/** The key does not exist, and the guarded method asked for an exception. Never holds the key. */
public class KeyAbsentException extends RuntimeException {

  public KeyAbsentException(String filter) {
    super("No such key in filter '" + filter + "'");
  }
}
