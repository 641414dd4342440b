package io.bloomguard.json.internal;

/**
 * A refusal of Jackson's, of a value or of bytes; its message is the name of the refusal's type.
 */
final class JsonFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  JsonFailure(Exception cause) {
    super(cause.getClass().getSimpleName(), cause);
  }
}
