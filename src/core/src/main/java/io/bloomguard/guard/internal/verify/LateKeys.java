package io.bloomguard.guard.internal.verify;

import io.bloomguard.guard.internal.EntryPoint;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

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

  /** The listener to each key that is checked again. */
  interface Look {

    /** False to keep the key. */
    boolean done(String key, Late late);
  }

  boolean isFull() {
    return places.availablePermits() == 0;
  }

  /** Keeps a key; does nothing if it is kept already, or there is no room. */
  void add(String key, Late late) {
    if (places.tryAcquire() && keys.putIfAbsent(key, late) != null) {
      places.release();
    }
  }

  /** Checks every key again. Called by one thread at a time. */
  void forEach(Look look) {
    for (Iterator<Map.Entry<String, Late>> all = keys.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<String, Late> next = all.next();
      if (look.done(next.getKey(), next.getValue())) {
        all.remove();
        places.release();
      }
    }
  }

  int size() {
    return keys.size();
  }
}
