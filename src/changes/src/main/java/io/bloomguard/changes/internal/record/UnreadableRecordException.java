package io.bloomguard.changes.internal.record;

/** A record that tells of no change in a known form. Its message has no key and no value. */
public final class UnreadableRecordException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableRecordException(String message) {
    super(message);
  }
}
