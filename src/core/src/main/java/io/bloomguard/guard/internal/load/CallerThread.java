package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.load.LoadThreads.Timeout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The calling thread, which parks while a call waits and runs its continuations itself. */
public final class CallerThread implements Waits {

  private final Thread thread = Thread.currentThread();
  private final DelayQueue<Task> tasks = new DelayQueue<>();
  private volatile boolean ended;
  private @Nullable Runnable interrupted;

  /**
   * Runs a call until its end, once.
   *
   * @return the result
   * @throws X the failure as the call ended with it
   */
  public <T extends @Nullable Object, X extends Throwable> T await(CompletableFuture<T> end)
      throws X {
    while (!end.isDone()) {
      Task next = tasks.poll();
      try {
        (next == null ? tasks.take() : next).run().run();
      } catch (InterruptedException e) {
        thread.interrupt();
        Runnable noted = interrupted;
        if (noted == null) {
          end.completeExceptionally(CacheLoads.interrupted());
        } else {
          noted.run();
        }
      }
    }
    ended = true;
    runLate();
    return CallerThread.<T, X>result(end);
  }

  /** The result of a call that has ended. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  static <T extends @Nullable Object, X extends Throwable> T result(CompletableFuture<T> end)
      throws X {
    Throwable failure = end.<@Nullable Throwable>handle((value, thrown) -> thrown).join();
    if (failure != null) {
      throw (X) failure;
    }
    return end.join();
  }

  /** Runs what has come after the end, such as a place that is to be given back. */
  private void runLate() {
    for (Task late = tasks.poll(); late != null; late = tasks.poll()) {
      late.run().run();
    }
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(new Task(System.nanoTime(), task));
    if (ended) {
      runLate();
    }
  }

  @Override
  public Timeout after(long nanos, Runnable task, Consumer<? super RequestShedException> refused) {
    Task later = new Task(System.nanoTime() + nanos, task);
    tasks.add(later);
    return () -> tasks.remove(later);
  }

  @Override
  public AsyncValueCache steps(ValueCache cache) {
    return AsyncValueCache.onCallingThread(cache);
  }

  @Override
  public Thread caller() {
    return thread;
  }

  @Override
  public void onInterrupt(Runnable end) {
    interrupted = end;
  }

  private record Task(long due, Runnable run) implements Delayed {

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.signum(due - ((Task) other).due);
    }
  }
}
