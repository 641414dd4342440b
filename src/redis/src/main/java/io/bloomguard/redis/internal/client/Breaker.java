package io.bloomguard.redis.internal.client;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Keeps callers from waiting for a Redis that does not answer.
 *
 * <p>While closed, it lets every caller through. After several commands in a row without any answer
 * it opens: it turns callers away at once. Now and then it lets one caller through (half open); the
 * first answer closes it again. Takes no lock.
 */
public final class Breaker {

  /** The commands without an answer, in a row, that open it. */
  private static final int OPENS_AT = 5;

  private static final long SHORTEST_PAUSE = 50_000_000;
  private static final long LONGEST_PAUSE = 500_000_000;

  private final LongSupplier ticker;
  private final AtomicInteger unanswered = new AtomicInteger();

  /** The time when an open breaker lets the next caller through. */
  private final AtomicLong nextProbe = new AtomicLong();

  private volatile long pause = SHORTEST_PAUSE;

  /** The time of the first command without an answer since the last answer. */
  private volatile long silentSince;

  /**
   * Creates a closed breaker.
   *
   * @param ticker monotonic nanoseconds, such as {@code System::nanoTime}
   */
  public Breaker(LongSupplier ticker) {
    this.ticker = ticker;
  }

  /** Whether a caller may send a command: while it is open one at a time, and seldom. */
  public boolean allows() {
    if (unanswered.get() < OPENS_AT) {
      return true;
    }
    long due = nextProbe.get();
    long now = ticker.getAsLong();
    if (now - due < 0) {
      return false;
    }
    long next = pause;
    if (!nextProbe.compareAndSet(due, now + next)) {
      return false;
    }
    pause = Math.min(2 * next, LONGEST_PAUSE);
    return true;
  }

  /** Notes that Redis answered a command, even if with an error. */
  public void answered() {
    if (unanswered.get() != 0) {
      unanswered.set(0);
      pause = SHORTEST_PAUSE;
    }
  }

  /** Notes that a command got no answer in its time. */
  public void unanswered() {
    long now = ticker.getAsLong();
    if (unanswered.get() == 0) {
      silentSince = now;
    }
    if (unanswered.incrementAndGet() == OPENS_AT) {
      nextProbe.set(now + SHORTEST_PAUSE);
    }
  }

  /** Whether callers are turned away at present. */
  public boolean isOpen() {
    return unanswered.get() >= OPENS_AT;
  }

  /**
   * The time since the first command without an answer, in nanoseconds; 0 if the last one had one.
   */
  public long silence() {
    return unanswered.get() == 0 ? 0 : ticker.getAsLong() - silentSince;
  }
}
