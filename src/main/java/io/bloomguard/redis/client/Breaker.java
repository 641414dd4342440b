package io.bloomguard.redis.client;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Keeps callers from waiting for a Redis that does not answer.
 *
 * <p>Closed, it lets everybody through. After some questions in a row without any answer it opens:
 * who comes is turned away at once. Now and then it lets one caller through (half open); the first
 * answer closes it again. Takes no lock.
 */
public final class Breaker {

  /** Questions without an answer, one after the other, that open it. */
  private static final int OPENS_AT = 5;

  private static final long SHORTEST_PAUSE = 50_000_000;
  private static final long LONGEST_PAUSE = 500_000_000;

  private final LongSupplier ticker;
  private final AtomicInteger unanswered = new AtomicInteger();

  /** When the next caller is let through while it is open. */
  private final AtomicLong nextProbe = new AtomicLong();

  private volatile long pause = SHORTEST_PAUSE;

  /** When a question went without an answer for the first time since the last one. */
  private volatile long silentSince;

  /**
   * A closed breaker.
   *
   * @param ticker nanoseconds that only go forward, such as {@code System::nanoTime}
   */
  public Breaker(LongSupplier ticker) {
    this.ticker = ticker;
  }

  /** Whether a caller may ask: while it is open one at a time, and seldom. */
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

  /** A question was answered, even if by an error. */
  public void answered() {
    if (unanswered.get() != 0) {
      unanswered.set(0);
      pause = SHORTEST_PAUSE;
    }
  }

  /** A question was not answered in its time. */
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

  /** For how long questions have gone without any answer, in nanoseconds; 0 while none has. */
  public long silence() {
    return unanswered.get() == 0 ? 0 : ticker.getAsLong() - silentSince;
  }
}
