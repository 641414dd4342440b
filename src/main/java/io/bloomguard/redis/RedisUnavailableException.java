package io.bloomguard.redis;

import io.bloomguard.generation.StoreUnavailableException;
import org.jspecify.annotations.Nullable;

/** Redis cannot be reached, was too slow, or refused a command. */
final class RedisUnavailableException extends StoreUnavailableException {

  RedisUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
