package io.bloomguard.redis.internal.partition;

import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.lettuce.core.SetArgs;
import java.time.Duration;

/** The time between two rebuilds of a filter, kept by a key in Redis that expires. */
public final class RebuildCooldown {

  private static final int ATTEMPTS = 8;
  private static final byte[] REQUESTED = {'1'};

  private final RedisLink builds;
  private final byte[] key;

  RebuildCooldown(RedisLink builds, byte[] key) {
    this.builds = builds;
    this.key = key;
  }

  /** The time until the next requested rebuild may begin; zero if it may. */
  public Duration left() {
    builds.awaitConnected(RedisConnections.CONNECT);
    Long left = builds.await(builds.call(c -> c.pttl(key)));
    return left == null || left < 0 ? Duration.ZERO : Duration.ofMillis(Math.max(1, left));
  }

  /** Starts a cooldown, unless one is on; returns what is left of that, zero if this one began. */
  public Duration start(Duration length) {
    if (length.toMillis() < 1) {
      return Duration.ZERO;
    }
    SetArgs args = SetArgs.Builder.nx().px(length.toMillis());
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (builds.await(builds.call(c -> c.set(key, REQUESTED, args))) != null) {
        return Duration.ZERO;
      }
      Duration left = left();
      if (!left.isZero()) {
        return left;
      }
      // The cooldown ended between the two commands.
    }
    throw new RedisUnavailableException("Redis neither has nor takes the cooldown's key", null);
  }
}
