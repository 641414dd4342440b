package io.bloomguard.it.support;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits with a bound. */
public final class Wait {

  private Wait() {}

  /** Asks again and again until the answer is true; what it throws counts as false. */
  public static void upTo(long seconds, String what, Callable<Boolean> condition)
      throws InterruptedException {
    if (!within(seconds, condition)) {
      throw new IllegalStateException("Not within " + seconds + " s: " + what);
    }
  }

  /** The same; whether it became true in time. */
  public static boolean within(long seconds, Callable<Boolean> condition)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (true) {
      try {
        if (condition.call()) {
          return true;
        }
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        // Not yet.
      }
      if (System.nanoTime() - end > 0) {
        return false;
      }
      Thread.sleep(10);
    }
  }
}
