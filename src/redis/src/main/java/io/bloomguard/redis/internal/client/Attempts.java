package io.bloomguard.redis.internal.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Steps that the state of Redis may change under, or other threads come before: each is tried for a
 * few times, or for a while, at most.
 */
public final class Attempts {

  static final int MOST = 8;

  private Attempts() {}

  /** The first result of a step; null if it has none again and again. */
  public static <T> @Nullable T of(Supplier<? extends @Nullable T> step) {
    T result = step.get();
    for (int attempt = 1; attempt < MOST && result == null; attempt++) {
      result = step.get();
    }
    return result;
  }

  /** Takes a lock, unless that needs more than a time; false too if interrupted, which is kept. */
  public static boolean isLocked(ReentrantLock lock, Duration atMost) {
    try {
      return lock.tryLock(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Repeats a step until it is done; false if it never was. */
  public static boolean until(BooleanSupplier step) {
    return of(() -> step.getAsBoolean() ? Boolean.TRUE : null) != null;
  }
}
