package io.bloomguard.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The hash secret that an earlier version made and left in Redis if none was configured. Bloomguard
 * looks for it, and never reads it.
 */
public enum EarlierSecret {
  PRESENT,
  ABSENT,

  /** Redis does not answer. */
  UNKNOWN;

  /** The key of the secret, for a prefix of all keys. */
  public static String key(String keyPrefix) {
    return keyPrefix + ":secret";
  }

  /** Looks for the secret, and waits for a connection and an answer for a few seconds at most. */
  public static EarlierSecret find(RedisConnections connections, String keyPrefix) {
    byte[] key = key(keyPrefix).getBytes(UTF_8);
    RedisLink link = connections.builds();
    link.awaitConnected(RedisConnections.CONNECT);
    try {
      Long found = Replies.await(link.call(c -> c.exists(key)), RedisConnections.CONNECT);
      return found != null && found == 0 ? ABSENT : PRESENT;
    } catch (RedisUnavailableException e) {
      return UNKNOWN;
    }
  }
}
