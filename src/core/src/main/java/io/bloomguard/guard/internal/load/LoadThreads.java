package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.internal.Entered;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads on which asynchronous calls continue after a wait, and the ends of their waits, at
 * the JDK's timer.
 *
 * <p>Asynchronous loaders run here, and callers get their answers here; our code never blocks these
 * threads. There are more of them than places for loads, so that loaders that block cannot occupy
 * all of them. The bound on asynchronous calls under way also bounds the tasks that wait for a
 * thread, since each call has one task at a time. Idle threads end.
 *
 * <p>A task for which no thread can be started is refused at once with {@link
 * RequestShedException}, and never runs. A timeout is due all the same: it then runs on the timer's
 * thread, and ends its wait.
 *
 * <p>Once closed, all waits end at once, and the remaining tasks run on the threads that hand them
 * over.
 */
public final class LoadThreads implements Executor, AutoCloseable {

  /** More threads than places. */
  private static final int SPARE = 2;

  private static final String WAIT = "bloomguard-wait-";
  private static final String BATCH = "bloomguard-batch-";

  private final LoadPool workers;
  private final LoadPool waiters;
  private final LoadPool batches;
  private volatile boolean closed;

  /** The first part of the calling thread's name, if it is one of ours. */
  private final ThreadLocal<@Nullable String> kind = new ThreadLocal<>();

  /** The timeouts that are neither due nor cancelled. */
  private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();

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

  /**
   * Runs a step on a thread of a pool, and passes its end to another of ours, both in the place and
   * the trials that the calling thread works in. If the other cannot be started, the thread of the
   * step passes it on.
   *
   * @param pool one of these
   * @throws RequestShedException if no thread can be started for the step
   */
  public <T extends @Nullable Object> CompletableFuture<T> on(
      Executor pool, Supplier<? extends CompletionStage<T>> step) {
    CompletableFuture<T> made = new CompletableFuture<>();
    CompletableFuture<T> answer = new CompletableFuture<>();
    Runnable told = Entered.carrying(() -> LoadStages.pass(made, answer));
    made.whenComplete((value, failure) -> execute(told, refusal -> told.run()));
    pool.execute(Entered.carrying(() -> LoadStages.pass(LoadStages.begun(step), made)));
    return answer;
  }

  /** Runs a task after a time, on the timer's thread if no other can be started then. */
  public Future<?> after(long nanos, Runnable task) {
    CompletableFuture<@Nullable Void> due = new CompletableFuture<>();
    due.thenRun(() -> execute(task, refusal -> task.run()));
    pending.add(due);
    due.whenComplete((nothing, cancelled) -> pending.remove(due));
    due.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    if (closed) {
      due.complete(null);
    }
    return due;
  }

  /** Ends all waits. */
  @Override
  public void close() {
    workers.close();
    waiters.close();
    batches.close();
    closed = true;
    pending.forEach(due -> due.complete(null));
  }
}
