package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.RequestShedException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads on which asynchronous calls continue after a wait, and the timer that ends their
 * waits.
 *
 * <p>Asynchronous loaders run here, and callers get their answers here; our code never blocks these
 * threads. There are more of them than places for loads, so that loaders that block cannot occupy
 * all of them. The bound on asynchronous calls under way also bounds the tasks that wait for a
 * thread, since each call has one task at a time. Idle threads end; the timer's stays.
 *
 * <p>A task for which no thread can be started is refused at once with {@link
 * RequestShedException}, and never runs. A timeout is due all the same: it then runs on the timer's
 * thread, and ends its wait.
 *
 * <p>Once closed, the timer ends all waits at once, and the remaining tasks run on the threads that
 * hand them over.
 */
public final class LoadThreads implements Executor, AutoCloseable {

  /** More threads than places. */
  private static final int SPARE = 2;

  private static final String WAIT = "bloomguard-wait-";
  private static final String BATCH = "bloomguard-batch-";

  private final LoadPool workers;
  private final LoadPool waiters;
  private final LoadPool batches;
  private final ScheduledThreadPoolExecutor timer;
  private final ReentrantLock timerStart = new ReentrantLock();
  private volatile boolean timerStarted;

  /** The first part of the calling thread's name, if it is one of ours. */
  private final ThreadLocal<@Nullable String> kind = new ThreadLocal<>();

  /** The pending tasks of the timer. */
  private final Set<Due> pending = ConcurrentHashMap.newKeySet();

  private final int maxCalls;
  private final Semaphore calls;

  /**
   * Creates the executor; no thread is started yet.
   *
   * @param places the number of loads that run at once
   * @param maxCalls the bound on asynchronous calls under way
   */
  public LoadThreads(int places, int maxCalls) {
    this(places, maxCalls, Thread::new);
  }

  /**
   * @param maker makes a thread of a task and a name
   */
  LoadThreads(int places, int maxCalls, BiFunction<Runnable, String, Thread> maker) {
    this.maxCalls = maxCalls;
    this.calls = new Semaphore(maxCalls);
    this.workers = new LoadPool(places + SPARE, named("bloomguard-async-", maker));
    this.waiters = new LoadPool(places, named(WAIT, maker));
    this.batches = new LoadPool(places, named(BATCH, maker));
    this.timer = new ScheduledThreadPoolExecutor(1, named("bloomguard-timer-", maker));
    this.timer.setRemoveOnCancelPolicy(true);
  }

  private ThreadFactory named(String prefix, BiFunction<Runnable, String, Thread> maker) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Runnable work =
          () -> {
            kind.set(prefix);
            task.run();
          };
      Thread thread = maker.apply(work, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Counts an asynchronous call; false if there are too many. */
  public boolean tryBegin() {
    return calls.tryAcquire();
  }

  /** The refusal of a call for which there is no room. */
  public static RequestShedException tooManyCalls() {
    return new RequestShedException("Too many asynchronous calls are under way");
  }

  /** Ends a call that {@link #tryBegin} counted. */
  public void end() {
    calls.release();
  }

  /** The number of asynchronous calls under way. */
  int calls() {
    return maxCalls - calls.availablePermits();
  }

  /** The number of timeouts that are neither due nor cancelled. */
  int pending() {
    return pending.size();
  }

  /**
   * Runs {@code task} on one of the threads.
   *
   * @throws RequestShedException if no thread can be started; the task never runs then
   */
  @Override
  public void execute(Runnable task) {
    workers.execute(task);
  }

  /**
   * Runs {@code task} on one of the threads; if none can be started, {@code refused} gets the
   * reason on this one.
   */
  public void execute(Runnable task, Consumer<? super RequestShedException> refused) {
    boolean taken;
    try {
      taken = workers.tryQueue(task);
    } catch (RequestShedException e) {
      refused.accept(e);
      return;
    }
    if (!taken) {
      task.run();
    }
  }

  /**
   * Other threads, for work of our code that waits in place of its caller: as many as places, so
   * that continuations never wait behind it. It waits for Redis, never for a loader. Refuses a task
   * as {@link #execute(Runnable)} does.
   */
  public Executor waiting() {
    return waiters;
  }

  /**
   * Further threads, as many as places, for batches: these wait for loaders too. Refuses a batch as
   * {@link #execute(Runnable)} does a task.
   */
  public Executor batches() {
    return batches;
  }

  /**
   * Whether the calling thread runs a batch. A batch within it stays on the thread: if all threads
   * waited for batches within theirs, none would be left to run these.
   */
  public boolean isInBatch() {
    return BATCH.equals(kind.get());
  }

  /** Whether the calling thread is one that {@linkplain #waiting may wait} for Redis. */
  boolean isWaiting() {
    return WAIT.equals(kind.get());
  }

  /** Runs a task after a time, on the timer's thread if no other can be started then. */
  public Timeout after(long nanos, Runnable task) {
    return after(nanos, task, refusal -> task.run());
  }

  /**
   * Runs a task after a time; if no thread can be started then, {@code refused} runs on the
   * timer's.
   */
  public Timeout after(long nanos, Runnable task, Consumer<? super RequestShedException> refused) {
    startTimer();
    Due due = new Due(task, refused);
    pending.add(due);
    try {
      due.scheduled = timer.schedule(due, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      due.run();
    }
    return due;
  }

  /** A timeout must never be queued before the thread that it is for. */
  private void startTimer() {
    if (timerStarted) {
      return;
    }
    timerStart.lock();
    try {
      if (!timerStarted) {
        timer.prestartCoreThread();
        timerStarted = true;
      }
    } catch (Throwable e) {
      throw LoadPool.refusal(e);
    } finally {
      timerStart.unlock();
    }
  }

  /** A task that is run, or cancelled, once. */
  private final class Due extends FutureTask<@Nullable Void> implements Timeout {

    private volatile @Nullable ScheduledFuture<?> scheduled;

    Due(Runnable task, Consumer<? super RequestShedException> refused) {
      super(() -> execute(task, refused), null);
    }

    @Override
    public void cancel() {
      cancel(false);
    }

    @Override
    protected void done() {
      pending.remove(this);
      ScheduledFuture<?> later = scheduled;
      if (later != null) {
        later.cancel(false);
      }
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
    workers.close();
    waiters.close();
    batches.close();
    timer.shutdownNow();
    pending.forEach(Due::run);
  }
}
