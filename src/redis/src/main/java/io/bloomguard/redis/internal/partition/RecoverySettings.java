package io.bloomguard.redis.internal.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The rules of the recovery of a partition that lost writes.
 *
 * @param lifetime how long a writer without a heartbeat counts as alive
 * @param grace how long a doubt lasts at least, so that every writer can report
 * @param longestGap the longest gap that adding again is trusted to fill; after a longer one a
 *     filter with a source is rebuilt
 * @param refill adds other keys that may have been lost, besides this process' own adds
 * @param recoveries runs recoveries in the background, one partition after another
 */
public record RecoverySettings(
    Duration lifetime,
    Duration grace,
    Duration longestGap,
    Supplier<Refill> refill,
    Executor recoveries) {

  /** The idle time after which the recovery thread ends. */
  private static final int IDLE_SECONDS = 10;

  /** One thread while there are recoveries; one task for each partition at most. */
  public static ExecutorService executor(String filter) {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "bloomguard-recovery-" + filter);
              thread.setDaemon(true);
              return thread;
            });
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /**
   * The adding of lost keys again from a source.
   *
   * @param canRebuild whether the filter has a source for a rebuild
   * @param since adds the rows since a moment, within a bound of its own; throws if it cannot
   */
  public record Refill(boolean canRebuild, Consumer<Instant> since) {}
}
