package io.bloomguard.autoconfigure;

import io.bloomguard.redis.RedisSecret;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The hash secret that processes share through Redis, asked for until Redis gives it. */
final class SharedSecret implements Supplier<@Nullable RedisSecret>, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(SharedSecret.class);
  private static final Duration RETRY = Duration.ofMillis(500);

  private final Supplier<RedisSecret> redis;
  private final ScheduledExecutorService retries =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "bloomguard-secret");
            thread.setDaemon(true);
            return thread;
          });
  private volatile @Nullable RedisSecret secret;

  /**
   * Asks once, and goes on in the background if that fails.
   *
   * @param redis gives the secret, or throws while Redis cannot be asked
   */
  SharedSecret(Supplier<RedisSecret> redis) {
    this.redis = redis;
    try {
      secret = redis.get();
      retries.shutdown();
    } catch (RuntimeException e) {
      log.warn("{}. Until then every answer is UNKNOWN", e.getMessage());
      var unused =
          retries.scheduleWithFixedDelay(
              this::retry, RETRY.toMillis(), RETRY.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void retry() {
    try {
      secret = redis.get();
      log.info("The shared hash secret is there");
      retries.shutdown();
    } catch (RuntimeException e) {
      log.debug("The shared hash secret is still not to be had", e);
    }
  }

  /** The secret, or null until it is there. */
  @Override
  public @Nullable RedisSecret get() {
    return secret;
  }

  @Override
  public void close() {
    retries.shutdownNow();
  }
}
