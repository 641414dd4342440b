package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.HashSecret;
import io.lettuce.core.SetArgs;
import java.time.Duration;

/**
 * The hash secret that processes share through Redis where none is configured: {@code
 * <prefix>:secret}, written once by whoever comes first.
 */
public final class RedisSecret {

  private RedisSecret() {}

  /**
   * The shared secret.
   *
   * @param wait how long to wait for a connection
   * @throws IllegalStateException if Redis cannot be reached or holds something else there
   */
  public static HashSecret shared(RedisConnections connections, String keyPrefix, Duration wait) {
    byte[] key = (keyPrefix + ":secret").getBytes(UTF_8);
    byte[] proposal = HashSecret.random().toHex().getBytes(US_ASCII);
    RedisLink link = connections.builds();
    link.awaitConnected(wait);
    byte[] held;
    try {
      link.await(link.call(c -> c.set(key, proposal, SetArgs.Builder.nx())));
      held = link.await(link.call(c -> c.get(key)));
    } catch (RedisUnavailableException e) {
      throw new IllegalStateException(
          "The hash secret is shared through Redis, which cannot be asked ("
              + e.getMessage()
              + "): start Redis, or configure bloomguard.hash-secret",
          e);
    }
    try {
      return HashSecret.parse(held == null ? "" : new String(held, US_ASCII));
    } catch (IllegalArgumentException e) {
      // Without the cause, which may quote what is held.
      throw new IllegalStateException(
          "The key "
              + keyPrefix
              + ":secret in Redis holds no hash secret: delete it, or configure"
              + " bloomguard.hash-secret");
    }
  }
}
