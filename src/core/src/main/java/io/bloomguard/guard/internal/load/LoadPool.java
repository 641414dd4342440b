package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.RequestShedException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Up to a number of threads, which end when idle, and the tasks that wait for one of them.
 *
 * <p>A task is either run once or refused by an exception. To keep that, a thread is started before
 * its task is queued, in the same hold of the lock, and no thread ends while tasks are queued. A
 * {@code ThreadPoolExecutor} leaves tasks in its queue without a thread if a start fails beside
 * them.
 *
 * <p>Once closed, tasks run on the threads that hand them over.
 */
final class LoadPool implements Executor, AutoCloseable {

  private static final long IDLE = TimeUnit.SECONDS.toNanos(10);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition queued = lock.newCondition();
  private final Queue<Runnable> queue = new ArrayDeque<>();
  private final int size;
  private final ThreadFactory factory;
  private int threads;
  private int idle;
  private boolean closed;

  LoadPool(int size, ThreadFactory factory) {
    this.size = size;
    this.factory = factory;
  }

  /**
   * Runs {@code task} on one of the threads.
   *
   * @throws RequestShedException if no thread is idle and the next one cannot be started; the task
   *     never runs then
   */
  @Override
  public void execute(Runnable task) {
    if (!tryQueue(task)) {
      task.run();
    }
  }

  /** Queues a task; false once the pool is closed. */
  boolean tryQueue(Runnable task) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      if (idle <= queue.size() && threads < size) {
        start();
      }
      queue.add(task);
      queued.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void start() {
    try {
      factory.newThread(this::work).start();
    } catch (Throwable e) {
      throw refusal(e);
    }
    threads++;
  }

  /** The refusal of work for want of a thread. */
  static RequestShedException refusal(Throwable cause) {
    RequestShedException refusal =
        new RequestShedException("No thread could be started for an asynchronous call");
    refusal.initCause(cause);
    return refusal;
  }

  private void work() {
    for (Runnable task = next(); task != null; task = next()) {
      // The interruption of one task is not that of the next.
      boolean unused = Thread.interrupted();
      try {
        task.run();
      } catch (Throwable e) {
        Thread mine = Thread.currentThread();
        mine.getUncaughtExceptionHandler().uncaughtException(mine, e);
      }
    }
  }

  /** Waits for the next task; null if the thread is to end. */
  private @Nullable Runnable next() {
    lock.lock();
    idle++;
    try {
      long left = IDLE;
      while (queue.isEmpty()) {
        if (closed || left <= 0) {
          threads--;
          return null;
        }
        try {
          left = queued.awaitNanos(left);
        } catch (InterruptedException e) {
          left = IDLE;
        }
      }
      return queue.remove();
    } finally {
      idle--;
      lock.unlock();
    }
  }

  /** Ends the threads once no task is queued. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      queued.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
