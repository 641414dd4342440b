package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.redis.internal.client.RedisConnections;

/** The application's Redis, as its settings have it, for every backend there. */
public interface ApplicationRedis {

  /** The connections, which the first call opens. */
  RedisConnections connections();

  /** What every key of ours begins with. */
  String keyPrefix();

  /**
   * The secret under which keys are hashed.
   *
   * @param filter what needs it
   * @throws InvalidBloomguardSettingException if none is configured
   */
  HashSecret secret(String filter);
}
