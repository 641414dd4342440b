package io.bloomguard.redis.internal.client;

import io.bloomguard.generation.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;

/** Redis cannot be reached, was too slow, or refused a command. */
public final class RedisUnavailableException extends StoreUnavailableException {

  public RedisUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Whether Redis answered, and refused the command. */
  public boolean isRefusal() {
    return getCause() instanceof RedisCommandExecutionException;
  }

  /** Whether Redis answered that a key is of another type than it should be. */
  public boolean isWrongType() {
    return getCause() instanceof RedisCommandExecutionException cause
        && String.valueOf(cause.getMessage()).startsWith("WRONGTYPE");
  }
}
