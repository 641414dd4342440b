package io.bloomguard.redis.partition;

/** More was lost while what had been lost before was added again; it begins anew. */
final class LostAgainException extends RuntimeException {

  private static final long serialVersionUID = 1;
}
