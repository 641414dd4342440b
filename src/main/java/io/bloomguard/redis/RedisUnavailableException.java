package io.bloomguard.redis;

import io.bloomguard.generation.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;

/** Redis cannot be reached, was too slow, or refused a command. */
final class RedisUnavailableException extends StoreUnavailableException {

  RedisUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Whether Redis answered that a key is of another type than it should be. */
  boolean isWrongType() {
    return getCause() instanceof RedisCommandExecutionException cause
        && String.valueOf(cause.getMessage()).startsWith("WRONGTYPE");
  }
}
