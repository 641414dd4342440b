package io.bloomguard.generation.internal.source;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads that read the sources of an application's filters.
 *
 * <p>A source that ignores the end of its reading keeps its thread. Such threads are abandoned:
 * their keys are ignored, and they are counted for as long as they live, because no source is read
 * any more once there are {@value #MOST_ABANDONED} of them.
 */
public final class SourceThreads {

  /** The number of abandoned threads at which every further reading is refused. */
  static final int MOST_ABANDONED = 8;

  private final AtomicInteger number = new AtomicInteger();
  private final Set<Thread> abandoned = ConcurrentHashMap.newKeySet();
  private final LongSupplier ticker;

  /** No thread yet, timed by {@code System::nanoTime}. */
  public SourceThreads() {
    this(System::nanoTime);
  }

  /**
   * No thread yet.
   *
   * @param ticker a monotonic clock, in nanoseconds
   */
  public SourceThreads(LongSupplier ticker) {
    this.ticker = ticker;
  }

  LongSupplier ticker() {
    return ticker;
  }

  /** Starts a daemon thread. */
  Thread start(String work, Runnable task) {
    Thread thread = new Thread(task, "bloomguard-" + work + "-" + number.incrementAndGet());
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Counts a hanging thread until it ends. */
  void abandon(Thread thread) {
    abandoned.add(thread);
  }

  /** {@return the number of abandoned threads that are still alive} */
  public int abandoned() {
    abandoned.removeIf(thread -> !thread.isAlive());
    return abandoned.size();
  }

  /** The reason why no source may be read; null if one may. */
  public @Nullable String refusal() {
    int hanging = abandoned();
    return hanging < MOST_ABANDONED
        ? null
        : hanging
            + " threads hang in sources that ignored the end of their reading, so no source is read"
            + " until one of them ends or the application is restarted";
  }
}
