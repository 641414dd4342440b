package io.bloomguard.guard.internal.load;

import java.util.concurrent.atomic.AtomicInteger;

/** Threads that cannot be started while a test says so. */
public final class ScarceThreads {

  private final AtomicInteger starts = new AtomicInteger();
  private volatile boolean refuses;
  private volatile boolean everySecond;

  public LoadThreads threads(int places, int maxCalls) {
    return new LoadThreads(places, maxCalls, this::thread);
  }

  /** Whether no thread can be started from now on. */
  public void refuse(boolean refuse) {
    refuses = refuse;
  }

  void refuseEverySecond() {
    everySecond = true;
  }

  /** As a thread of the JDK is, whose start fails. */
  private Thread thread(Runnable task, String name) {
    return new Thread(task, name) {
      @Override
      public synchronized void start() {
        if (refuses || everySecond && starts.incrementAndGet() % 2 == 1) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        super.start();
      }
    };
  }
}
