package io.bloomguard.redis.partition;

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
 * How the doubt about a partition that lost writes is ended.
 *
 * @param lifetime how long a writer that gives no sign of life counts as alive
 * @param grace how long a doubt lasts at least, so that every writer can come forward
 * @param longestGap the longest time for which adding again is believed to be enough; after a
 *     longer one a filter with a source is rebuilt
 * @param refill adds what else may have been lost, besides this process' own adds
 * @param recoveries adds again in the background, one partition after another
 */
public record RecoverySettings(
    Duration lifetime,
    Duration grace,
    Duration longestGap,
    Supplier<Refill> refill,
    Executor recoveries) {

  /** How long the thread that adds again outlives its last task. */
  private static final int IDLE_SECONDS = 10;

  /** One thread, as long as something is added again; one task for each partition at most. */
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
   * What adds keys again from elsewhere.
   *
   * @param canRebuild whether the filter has a source for a rebuild
   * @param since adds what has come up since a moment, within a bound of its own; throws if it
   *     cannot
   */
  public record Refill(boolean canRebuild, Consumer<Instant> since) {}
}
