package io.bloomguard.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Calls something once a second, on a thread of its own, while other work goes on. */
final class SignsOfLife implements AutoCloseable {

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Thread thread;
  private volatile boolean over;

  /** Begins with the first call at once; a call that fails is made again a second later. */
  SignsOfLife(Runnable sign) {
    this.thread = new Thread(() -> run(sign), "bloomguard-alive");
    thread.setDaemon(true);
    thread.start();
  }

  private void run(Runnable sign) {
    while (!over) {
      try {
        sign.run();
      } catch (RedisUnavailableException e) {
        // The entry lives for several seconds.
      }
      if (!over) {
        LockSupport.parkNanos(PERIOD_NANOS);
      }
    }
  }

  /** Ends the calls, and waits for the one that is under way: none comes later. */
  @Override
  public void close() {
    over = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
