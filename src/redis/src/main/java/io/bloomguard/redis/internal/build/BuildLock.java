package io.bloomguard.redis.internal.build;

import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to build a filter, held in partition 0 and renewed until closed, with its fencing
 * token: a later holder of the right has a higher one.
 *
 * <p>Closing ends the renewing only; the scripts that publish or abandon the build end the lock, or
 * {@link #release} if no build was registered.
 */
final class BuildLock implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BuildLock.class);
  private static final LuaScript LOCK = LuaScript.of(BuildLock.class, "lock");
  private static final LuaScript RENEW = LuaScript.of(BuildLock.class, "renew");
  private static final LuaScript RELEASE = LuaScript.of(BuildLock.class, "release");

  private final String filter;
  private final RedisLink link;
  private final byte[] key;
  private final String owner;
  private final long token;
  private final Duration lifetime;
  private final ScheduledExecutorService heartbeat;
  private volatile boolean lost;

  private BuildLock(
      String filter, RedisLink link, byte[] key, String owner, long token, Duration lifetime) {
    this.filter = filter;
    this.link = link;
    this.key = key;
    this.owner = owner;
    this.token = token;
    this.lifetime = lifetime;
    this.heartbeat =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "bloomguard-build-" + filter);
              thread.setDaemon(true);
              return thread;
            });
    long period = Math.max(1, lifetime.toMillis() / 3);
    @SuppressWarnings("unused") // it never fails, and ends with the lock
    var beats = heartbeat.scheduleAtFixedRate(this::renew, period, period, TimeUnit.MILLISECONDS);
  }

  /**
   * Takes the lock, if the partition has a head.
   *
   * @param owner a name that no other build has
   * @return null if there is no head
   * @throws BuildRunningException if another build holds it
   */
  static @Nullable BuildLock take(
      String filter, RedisPartition first, RedisLink link, String owner, Duration lifetime) {
    byte[] key = first.keys().lock();
    LuaScript.Reply reply =
        LOCK.run(link, List.of(first.keys().head(), key), owner, lifetime.toMillis());
    if (reply.outcome() == ScriptOutcome.RUNNING) {
      throw new BuildRunningException(filter);
    }
    return reply.ok()
        ? new BuildLock(filter, link, key, owner, Long.parseLong(reply.text(1)), lifetime)
        : null;
  }

  String owner() {
    return owner;
  }

  long token() {
    return token;
  }

  /** Whether another build is known to hold it; the publishing script decides. */
  boolean lost() {
    return lost;
  }

  /** Runs a brief task, which never throws, at once and then every second until this is closed. */
  void everySecond(Runnable task) {
    @SuppressWarnings("unused") // it ends with the lock
    var beats = heartbeat.scheduleWithFixedDelay(task, 0, 1, TimeUnit.SECONDS);
  }

  /** Closes this and releases the lock, if this still holds it. Never throws. */
  void release() {
    close();
    try {
      RELEASE.run(link, List.of(key), owner);
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': the build's lock ends by itself: {}", filter, e.getMessage());
    }
  }

  @Override
  public void close() {
    heartbeat.shutdownNow();
  }

  private void renew() {
    try {
      if (!RENEW.run(link, List.of(key), owner, lifetime.toMillis()).ok()) {
        lost = true;
      }
    } catch (RedisUnavailableException e) {
      // The next renewal may succeed before the lock ends.
      log.debug("Filter '{}': the build's lock was not renewed: {}", filter, e.getMessage());
    }
  }
}
