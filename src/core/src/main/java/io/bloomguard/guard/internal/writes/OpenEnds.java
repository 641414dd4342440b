package io.bloomguard.guard.internal.writes;

import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes whose end was not seen: a caller cancelled them, a thread was interrupted, or a
 * connection was lost while a statement may have been under way. Each counts as ended after the
 * longest time that a statement takes.
 *
 * <p>They are bounded in number: one more ends the oldest.
 */
public final class OpenEnds {

  /** The bound on writes whose end was not seen. */
  public static final int MAX = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(OpenEnds.class);

  private final LoadThreads threads;
  private final Duration longest;
  private final BlockingQueue<OpenEnd> open = new LinkedBlockingQueue<>(MAX);
  private final AtomicBoolean full = new AtomicBoolean();

  /**
   * @param threads those on which ends wait
   * @param longest the longest time that a statement takes
   */
  public OpenEnds(LoadThreads threads, Duration longest) {
    this.threads = threads;
    this.longest = longest;
  }

  LoadThreads threads() {
    return threads;
  }

  /** The number of writes that count as open. */
  int size() {
    return open.size();
  }

  /**
   * Runs {@code end}, which may wait, once the statement of a write must have ended. A process that
   * closes leaves the barrier to its own end instead.
   */
  void add(Runnable end) {
    OpenEnd added = new OpenEnd(end);
    while (!open.offer(added)) {
      if (full.compareAndSet(false, true)) {
        LOG.warn(
            "More than {} writes within {} were cancelled or lost before their end: the oldest of"
                + " them count as ended now",
            MAX,
            longest);
      }
      OpenEnd oldest = open.peek();
      if (oldest != null) {
        oldest.end();
      }
    }
    if (added.ended.get()) {
      open.remove(added);
    }
  }

  /** The write of one caller. */
  private final class OpenEnd {

    private final Runnable end;
    private final long due = System.nanoTime() + longest.toNanos();
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Null until it is set, which may be after it is due. */
    private volatile @Nullable Future<?> timer;

    OpenEnd(Runnable end) {
      this.end = end;
      this.timer = threads.after(longest.toNanos(), this::due);
    }

    /** Called by the timer, which calls early if it closes. */
    void due() {
      if (System.nanoTime() - due >= 0) {
        end();
      }
    }

    void end() {
      if (ended.getAndSet(true)) {
        return;
      }
      open.remove(this);
      Future<?> set = timer;
      if (set != null) {
        set.cancel(false);
      }
      if (open.size() < MAX / 2) {
        full.set(false);
      }
      try {
        threads.waiting().execute(end);
      } catch (RequestShedException e) {
        end.run();
      }
    }
  }
}
