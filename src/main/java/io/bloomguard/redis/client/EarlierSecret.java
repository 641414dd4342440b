package io.bloomguard.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The hash secret that an earlier version made and left in Redis, where none was configured. It is
 * looked for, and never read.
 */
public enum EarlierSecret {
  PRESENT,
  ABSENT,

  /** Redis cannot be asked. */
  UNKNOWN;

  /** The key under which it is, for a prefix of all keys. */
  public static String key(String keyPrefix) {
    return keyPrefix + ":secret";
  }

  /** Looks for it, and waits for a connection and an answer for a few seconds at most. */
  public static EarlierSecret find(RedisConnections connections, String keyPrefix) {
    byte[] key = key(keyPrefix).getBytes(UTF_8);
    RedisLink link = connections.builds();
    link.awaitConnected(RedisConnections.CONNECT);
    try {
      Long found = RedisLink.await(link.call(c -> c.exists(key)), RedisConnections.CONNECT);
      return found != null && found == 0 ? ABSENT : PRESENT;
    } catch (RedisUnavailableException e) {
      return UNKNOWN;
    }
  }
}
