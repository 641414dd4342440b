package io.bloomguard.generation.internal.source;

import io.bloomguard.generation.KeySourceException;
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
 * A monitored reading of a source on its own thread. It ends when it yields nothing for too long,
 * exceeds its time limit, or is cancelled, even if the source does not react.
 *
 * <p>A reading is ended in three steps: the source's own cancellation, then an interrupt, then the
 * thread is abandoned. The interrupt comes second because it does harm: an interrupt makes embedded
 * databases close their file.
 */
public final class SourceReading {

  /** The interval between checks of cancellation and time. */
  private static final long POLL_MILLIS = 50;

  /** The time that the source's own cancellation may take, and then the interrupt. */
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
   * @param stall the longest time for which it may yield nothing
   */
  public SourceReading(String filter, Duration stall, SourceThreads threads) {
    this.filter = filter;
    this.stall = stall;
    this.threads = threads;
  }

  /**
   * Whether the reading was ended from outside: keys that the source yields after that are ignored.
   */
  public boolean isEnded() {
    return ended;
  }

  /**
   * Sets the action that cancels the source's present work; null for none. Called by the source.
   */
  public void onCancel(@Nullable Runnable action) {
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
   * Reads to the end; this thread waits for it.
   *
   * @param yielded the number of keys that the source has yielded
   * @param cancelled whether the reading is to end
   * @param atMost the longest time it may take; null for no limit while it yields keys
   * @throws CancellationException if it was cancelled
   * @throws KeySourceException if it stalled, took too long, or may not begin
   * @throws Exception the exception that the source threw
   */
  public void read(
      Body body, LongSupplier yielded, BooleanSupplier cancelled, @Nullable Duration atMost)
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

  /** Reads into a sink to the end, as nothing but time and an interrupt can end it. */
  void read(Body body, CanonicalSink sink, @Nullable Duration atMost) throws Exception {
    read(body, sink::yielded, () -> false, atMost);
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
      // The cancellation may hang too, if the server is out of reach.
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

  /** Whether the source ends within a time, even if this thread is interrupted meanwhile. */
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
  public interface Body {
    void run() throws Exception;
  }
}
