package io.bloomguard.generation;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reading of a source, on a thread of its own and under watch: it ends when it yields nothing
 * for too long, takes longer than it may, or is cancelled, whether the source heeds that or not.
 *
 * <p>A reading is ended in three steps: the source's own cancellation, an interrupt, and after that
 * the thread is abandoned. An interrupt comes second because it does harm: embedded databases close
 * their file at one.
 */
final class SourceReading {

  /** How often cancellation and time are looked at. */
  private static final long POLL_MILLIS = 50;

  /** How long the source's own cancellation may take, and then the interrupt. */
  private static final long CANCEL_MILLIS = 1_500;

  private static final long INTERRUPT_MILLIS = 1_500;

  private static final Logger log = LoggerFactory.getLogger(SourceReading.class);

  private final String filter;
  private final Duration stall;
  private final SourceThreads threads;
  private final CountDownLatch over = new CountDownLatch(1);
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Runnable cancellation;
  private @Nullable Throwable failure;
  private volatile boolean ended;

  /**
   * A reading that has not begun.
   *
   * @param stall for how long it may yield nothing
   */
  SourceReading(String filter, Duration stall, SourceThreads threads) {
    this.filter = filter;
    this.stall = stall;
    this.threads = threads;
  }

  /** Whether it was ended from outside: what the source yields from then on is ignored. */
  boolean isEnded() {
    return ended;
  }

  /** Says how to cancel what the source does now; null for nothing. Called by the source. */
  void onCancel(@Nullable Runnable action) {
    boolean late;
    lock.lock();
    try {
      cancellation = action;
      late = ended;
    } finally {
      lock.unlock();
    }
    if (late && action != null) {
      threads.start("cancel-" + filter, action);
    }
  }

  /**
   * Reads to the end, which this thread waits for.
   *
   * @param yielded how many keys the source has yielded
   * @param cancelled whether the reading is to end
   * @param atMost how long it may take; null for as long as it yields
   * @throws CancellationException if it was cancelled
   * @throws KeySourceException if it stalled, or took too long, or may not begin
   * @throws Exception what the source threw
   */
  void read(Body body, LongSupplier yielded, BooleanSupplier cancelled, @Nullable Duration atMost)
      throws Exception {
    String refusal = threads.refusal();
    if (refusal != null) {
      throw new KeySourceException(refusal, null);
    }
    long began = threads.ticker().getAsLong();
    Thread reader = threads.start("source-" + filter, () -> run(body));
    try {
      watch(began, yielded, cancelled, atMost);
    } catch (InterruptedException | RuntimeException e) {
      end(reader);
      throw e;
    }
    rethrow(failure);
  }

  private void run(Body body) {
    try {
      body.run();
    } catch (Throwable e) {
      failure = e;
    } finally {
      over.countDown();
    }
  }

  private void watch(
      long began, LongSupplier yielded, BooleanSupplier cancelled, @Nullable Duration atMost)
      throws InterruptedException {
    LongSupplier ticker = threads.ticker();
    long moved = began;
    long seen = 0;
    while (!over.await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      long now = ticker.getAsLong();
      long keys = yielded.getAsLong();
      if (keys != seen) {
        seen = keys;
        moved = now;
      }
      if (cancelled.getAsBoolean()) {
        throw new CancellationException("The reading was cancelled");
      }
      if (now - moved > stall.toNanos()) {
        throw new KeySourceException(
            "The source yielded nothing for "
                + stall
                + " (bloomguard.filters."
                + filter
                + ".source.stall)",
            null);
      }
      if (atMost != null && now - began > atMost.toNanos()) {
        throw new KeySourceException("The source took longer than " + atMost, null);
      }
    }
  }

  private void end(Thread reader) {
    Runnable action;
    lock.lock();
    try {
      ended = true;
      action = cancellation;
    } finally {
      lock.unlock();
    }
    if (action != null) {
      // It may hang too, where the server is out of reach.
      threads.start("cancel-" + filter, action);
      if (isOver(CANCEL_MILLIS)) {
        return;
      }
    }
    reader.interrupt();
    if (!isOver(INTERRUPT_MILLIS)) {
      threads.abandon(reader);
      log.warn(
          "Filter '{}': its source does not stop reading; thread '{}' is abandoned, and its keys"
              + " are ignored ({} of at most {})",
          filter,
          reader.getName(),
          threads.abandoned(),
          SourceThreads.MOST_ABANDONED);
    }
  }

  /** Whether the source ends within some time, interrupts of this thread notwithstanding. */
  private boolean isOver(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return over.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void rethrow(@Nullable Throwable failure) throws Exception {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof Exception exception) {
      throw exception;
    }
  }

  /** The reading thread. */
  interface Body {
    void run() throws Exception;
  }
}
