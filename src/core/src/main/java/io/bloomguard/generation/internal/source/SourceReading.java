package io.bloomguard.generation.internal.source;

import io.bloomguard.generation.KeySourceException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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

  private static final Runnable ENDED = () -> {};

  private static final Logger log = LoggerFactory.getLogger(SourceReading.class);

  private final String filter;
  private final Duration stall;
  private final SourceThreads threads;

  /** The action that cancels the source's present work, null for none, or {@link #ENDED}. */
  private final AtomicReference<@Nullable Runnable> cancellation = new AtomicReference<>();

  private volatile @Nullable Throwable failure;

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
    return cancellation.get() == ENDED;
  }

  /**
   * Sets the action that cancels the source's present work; null for none. Called by the source.
   */
  public void onCancel(@Nullable Runnable action) {
    Runnable before = cancellation.getAndUpdate(now -> now == ENDED ? now : action);
    if (before == ENDED && action != null) {
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
      watch(reader, began, yielded, cancelled, atMost);
    } catch (InterruptedException | RuntimeException e) {
      end(reader);
      throw e;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof Exception exception) {
      throw exception;
    }
  }

  private void run(Body body) {
    try {
      body.run();
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void watch(
      Thread reader,
      long began,
      LongSupplier yielded,
      BooleanSupplier cancelled,
      @Nullable Duration atMost)
      throws InterruptedException {
    LongSupplier ticker = threads.ticker();
    long moved = began;
    long seen = 0;
    for (reader.join(POLL_MILLIS); reader.isAlive(); reader.join(POLL_MILLIS)) {
      long now = ticker.getAsLong();
      long keys = yielded.getAsLong();
      if (keys != seen) {
        seen = keys;
        moved = now;
      }
      if (cancelled.getAsBoolean()) {
        throw new CancellationException("The reading was cancelled");
      }
      if (atMost != null && now - began > atMost.toNanos()) {
        throw new KeySourceException("The source took longer than " + atMost, null);
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
    }
  }

  private void end(Thread reader) {
    Runnable action = cancellation.getAndSet(ENDED);
    if (action != null) {
      // The cancellation may hang too, if the server is out of reach.
      threads.start("cancel-" + filter, action);
      if (isOver(reader, CANCEL_MILLIS)) {
        return;
      }
    }
    reader.interrupt();
    if (!isOver(reader, INTERRUPT_MILLIS)) {
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
  private static boolean isOver(Thread reader, long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean interrupted = false;
    for (long left = millis; left > 0 && reader.isAlive(); ) {
      try {
        reader.join(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !reader.isAlive();
  }

  /** The reading thread. */
  public interface Body {
    void run() throws Exception;
  }
}
