package io.bloomguard.guard.load;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads on which asynchronous calls continue after a wait, and the timer that ends their
 * waits.
 *
 * <p>Asynchronous loaders run here, and callers get their answers here; our code never blocks these
 * threads. There are more of them than places for loads, so that loaders that block cannot occupy
 * all of them. The bound on asynchronous calls under way also bounds the tasks that wait for a
 * thread, since each call has one task at a time. Idle threads end.
 *
 * <p>Once closed, the timer ends all waits at once, and the remaining tasks run on the threads that
 * hand them over.
 */
public final class LoadThreads implements Executor, AutoCloseable {

  private static final long IDLE_SECONDS = 10;

  /** More threads than places. */
  private static final int SPARE = 2;

  private final ThreadPoolExecutor workers;
  private final ThreadPoolExecutor waiters;
  private final ScheduledThreadPoolExecutor timer;

  /** The pending tasks of the timer. */
  private final Set<Due> pending = ConcurrentHashMap.newKeySet();

  private final int maxCalls;
  private final AtomicInteger calls = new AtomicInteger();

  /**
   * Creates the executor; no thread is started yet.
   *
   * @param places the number of loads that run at once
   * @param maxCalls the bound on asynchronous calls under way
   */
  public LoadThreads(int places, int maxCalls) {
    this.maxCalls = maxCalls;
    this.workers = pool(places + SPARE, "bloomguard-async-");
    this.waiters = pool(places, "bloomguard-wait-");
    this.timer = new ScheduledThreadPoolExecutor(1, named("bloomguard-timer-"));
    this.timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    this.timer.allowCoreThreadTimeOut(true);
    this.timer.setRemoveOnCancelPolicy(true);
  }

  private static ThreadPoolExecutor pool(int size, String prefix) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            named(prefix),
            (task, closed) -> task.run());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory named(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Counts an asynchronous call; false if there are too many. */
  public boolean tryBegin() {
    if (calls.incrementAndGet() <= maxCalls) {
      return true;
    }
    calls.decrementAndGet();
    return false;
  }

  /** Ends a call that {@link #tryBegin} counted. */
  public void end() {
    calls.decrementAndGet();
  }

  /** The number of asynchronous calls under way. */
  int calls() {
    return calls.get();
  }

  /** The number of timeouts that are neither due nor cancelled. */
  int pending() {
    return pending.size();
  }

  @Override
  public void execute(Runnable task) {
    workers.execute(task);
  }

  /**
   * Other threads, for work of our code that waits in place of its caller: as many as places, so
   * that continuations never wait behind it.
   */
  public Executor waiting() {
    return waiters;
  }

  /** Runs {@code task} on one of the threads in {@code nanos}, unless it is cancelled before. */
  public Timeout after(long nanos, Runnable task) {
    Due due = new Due(task);
    pending.add(due);
    try {
      due.scheduled = timer.schedule(due, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      due.run();
    }
    return due;
  }

  /** A task that is run, or cancelled, once. */
  private final class Due implements Runnable, Timeout {

    private final Runnable task;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable ScheduledFuture<?> scheduled;

    Due(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (isFirst()) {
        execute(task);
      }
    }

    @Override
    public void cancel() {
      ScheduledFuture<?> later = scheduled;
      if (isFirst() && later != null) {
        later.cancel(false);
      }
    }

    private boolean isFirst() {
      pending.remove(this);
      return over.compareAndSet(false, true);
    }
  }

  /** A task that runs after a delay. */
  @FunctionalInterface
  public interface Timeout {

    /** Cancels the task, unless it has begun. */
    void cancel();
  }

  /** Ends all waits. */
  @Override
  public void close() {
    workers.shutdown();
    waiters.shutdown();
    timer.shutdownNow();
    pending.forEach(Due::run);
  }
}
