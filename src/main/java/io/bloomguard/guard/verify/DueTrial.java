package io.bloomguard.guard.verify;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.guard.Trial;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A trial that was chosen ahead of the guarded call that begins it, on the same thread. */
final class DueTrial implements Trial.Scope {

  private static final ThreadLocal<@Nullable DueTrial> CURRENT = new ThreadLocal<>();

  private final Verification verification;
  private final AtomicInteger count;
  private final String key;
  private final @Nullable DueTrial outer;
  private boolean taken;

  private DueTrial(
      Verification verification, AtomicInteger count, String key, @Nullable DueTrial outer) {
    this.verification = verification;
    this.count = count;
    this.key = key;
    this.outer = outer;
  }

  /**
   * @param count the number of due trials of that verification
   * @param key canonical
   */
  static DueTrial begin(Verification verification, AtomicInteger count, String key) {
    DueTrial due = new DueTrial(verification, count, key, CURRENT.get());
    count.incrementAndGet();
    CURRENT.set(due);
    return due;
  }

  /** Whether the trial of that key is due on this thread; it is so once. */
  static boolean take(Verification verification, Object key) {
    DueTrial due = CURRENT.get();
    if (due == null
        || due.taken
        || due.verification != verification
        || !due.key.equals(CanonicalKey.of(key))) {
      return false;
    }
    due.taken = true;
    return true;
  }

  @Override
  public void close() {
    count.decrementAndGet();
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
    if (!taken) {
      verification.giveUp(key);
    }
  }
}
