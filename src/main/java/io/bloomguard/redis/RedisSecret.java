package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.client.RedisLink;
import io.bloomguard.redis.client.RedisUnavailableException;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hash secret of this process: a configured one, or one that processes share through Redis in
 * {@code <prefix>:secret}, written by whoever comes first and put back by whoever has it where
 * Redis lost it.
 */
public final class RedisSecret {

  private static final Logger log = LoggerFactory.getLogger(RedisSecret.class);

  private final HashSecret value;

  /** Null for a configured secret, which Redis never sees. */
  private final @Nullable String key;

  private final @Nullable RedisLink link;
  private volatile boolean displaced;

  private RedisSecret(HashSecret value, @Nullable String key, @Nullable RedisLink link) {
    this.value = value;
    this.key = key;
    this.link = link;
  }

  /** A secret that every process is configured with. */
  public static RedisSecret configured(HashSecret value) {
    return new RedisSecret(value, null, null);
  }

  /**
   * The shared secret.
   *
   * @param wait how long to wait for a connection
   * @throws IllegalStateException if Redis cannot be reached or holds something else there
   */
  public static RedisSecret shared(RedisConnections connections, String keyPrefix, Duration wait) {
    String key = keyPrefix + ":secret";
    RedisLink link = connections.builds();
    link.awaitConnected(wait);
    String held;
    try {
      held = held(link, link.timeout(), key, HashSecret.random());
    } catch (RedisUnavailableException e) {
      throw new IllegalStateException(
          "The hash secret is shared through Redis, which cannot be asked ("
              + e.getMessage()
              + "): start Redis, or configure bloomguard.hash-secret",
          e);
    }
    HashSecret value = parse(held);
    if (value == null) {
      throw new IllegalStateException(
          "The key "
              + key
              + " in Redis holds no hash secret: delete it, or configure bloomguard.hash-secret");
    }
    return new RedisSecret(value, key, link);
  }

  /** The secret itself. */
  public HashSecret value() {
    return value;
  }

  /**
   * Puts a shared secret back where Redis holds none any more, so that a process that starts later
   * hashes as this one does.
   *
   * @return false if Redis holds another by now
   * @throws RedisUnavailableException if Redis cannot be asked
   */
  public boolean keep(Duration timeout) {
    if (key == null || link == null) {
      return true;
    }
    boolean ours = value.equals(parse(held(link, timeout, key, value)));
    if (!ours && !displaced) {
      log.warn(
          "{} in Redis holds another hash secret than this process, most likely because Redis lost"
              + " its data and another process started first. {}",
          key,
          REMEDY);
    }
    displaced = !ours;
    return ours;
  }

  /** Whether Redis was last seen to hold another secret. */
  boolean displaced() {
    return displaced;
  }

  /** What to do about {@link #displaced}. */
  static final String REMEDY =
      "What this process would have to make anew in Redis stays UNKNOWN here: restart this process,"
          + " or set bloomguard.hash-secret to the same on every node";

  private static String held(RedisLink link, Duration timeout, String key, HashSecret otherwise) {
    byte[] name = key.getBytes(UTF_8);
    byte[] held = RedisLink.await(link.call(c -> c.get(name)), timeout);
    if (held == null) {
      byte[] proposal = otherwise.toHex().getBytes(US_ASCII);
      RedisLink.await(link.call(c -> c.set(name, proposal, SetArgs.Builder.nx())), timeout);
      held = RedisLink.await(link.call(c -> c.get(name)), timeout);
    }
    return held == null ? "" : new String(held, US_ASCII);
  }

  private static @Nullable HashSecret parse(String held) {
    try {
      return HashSecret.parse(held);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
