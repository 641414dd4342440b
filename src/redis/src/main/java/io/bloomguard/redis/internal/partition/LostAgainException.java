package io.bloomguard.redis.internal.partition;

/** A further loss while a recovery was under way; the recovery begins again. */
final class LostAgainException extends RuntimeException {

  private static final long serialVersionUID = 1;
}
