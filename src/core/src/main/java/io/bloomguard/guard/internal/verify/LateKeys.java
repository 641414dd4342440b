package io.bloomguard.guard.internal.verify;

import io.bloomguard.guard.internal.EntryPoint;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BiPredicate;

/** Keys that a filter lacked and that will arrive in it, at most {@link #MAX} of them. */
final class LateKeys {

  /** The most keys that wait to be checked again. */
  static final int MAX = 1000;

  private final Map<String, Late> keys = new ConcurrentHashMap<>();
  private final Semaphore places = new Semaphore(MAX);

  /**
   * A key that was missing.
   *
   * @param since the moment at which it was seen to exist, by {@code System.nanoTime()}
   * @param entry the entry point at which it was asked for
   * @param caller the caller that asked for it
   * @param policy the consequence if it does not arrive
   */
  record Late(long since, EntryPoint entry, String caller, WrongRejectionPolicy policy) {}

  boolean isFull() {
    return places.availablePermits() == 0;
  }

  /** Keeps a key; does nothing if it is kept already, or there is no room. */
  void add(String key, Late late) {
    if (places.tryAcquire() && keys.putIfAbsent(key, late) != null) {
      places.release();
    }
  }

  /** Removes the keys that wait no longer. Called by one thread at a time. */
  void removeIf(BiPredicate<String, Late> done) {
    keys.forEach(
        (key, late) -> {
          if (done.test(key, late) && keys.remove(key, late)) {
            places.release();
          }
        });
  }

  int size() {
    return keys.size();
  }
}
