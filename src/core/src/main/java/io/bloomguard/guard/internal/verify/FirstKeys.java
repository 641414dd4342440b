package io.bloomguard.guard.internal.verify;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The first keys that one generation rejected in this process: a set of fixed size.
 *
 * <p>An open-addressing table of 32-bit hashes, a quarter full at most. Two keys with one hash
 * count as one: the second gets no place of its own. Lookups take no lock; if one misses an entry
 * because another thread moves it, the repeated lookup under the lock finds it.
 */
final class FirstKeys {

  private static final int FREE = 0;

  final long generation;

  /** The moment at which this process first saw the generation, by {@code System.nanoTime()}. */
  final long since;

  private final int bound;
  private final AtomicIntegerArray slots;
  private final int mask;
  private final ReentrantLock changing = new ReentrantLock();
  private volatile int taken;

  /** Places given back after failures; guarded by the lock. */
  private int forgiven;

  /**
   * An empty set.
   *
   * @param bound the number of keys it takes
   */
  FirstKeys(long generation, long since, int bound) {
    this.generation = generation;
    this.since = since;
    this.bound = bound;
    int capacity = Math.max(2, Integer.highestOneBit(Math.max(1, bound)) << 3);
    this.slots = new AtomicIntegerArray(bound == 0 ? 2 : capacity);
    this.mask = slots.length() - 1;
  }

  /** Whether there is room for another key. */
  boolean open() {
    return taken < bound;
  }

  /** Whether a key has a place, as far as a lookup without the lock shows. */
  boolean has(int hash) {
    int entry = entry(hash);
    return slots.get(find(entry)) == entry;
  }

  /** Takes a place for a key; false if the key has one, there is none, or another takes one now. */
  boolean tryTake(int hash) {
    int entry = entry(hash);
    if (!open() || has(hash) || !changing.tryLock()) {
      return false;
    }
    try {
      int at = find(entry);
      if (taken >= bound || slots.get(at) == entry) {
        return false;
      }
      slots.set(at, entry);
      taken = taken + 1;
      return true;
    } finally {
      changing.unlock();
    }
  }

  /**
   * Gives the place of a key back, if it has one: another key may take it, or the same key again.
   */
  void giveBack(int hash) {
    changing.lock();
    try {
      int entry = entry(hash);
      int hole = find(entry);
      if (slots.get(hole) != entry) {
        return;
      }
      // Closes the gap, so that no tombstone is left (Knuth, TAOCP 6.4, Algorithm R).
      for (int at = hole + 1 & mask; slots.get(at) != FREE; at = at + 1 & mask) {
        int home = slots.get(at) & mask;
        if ((at - home & mask) >= (at - hole & mask)) {
          slots.set(hole, slots.get(at));
          hole = at;
        }
      }
      slots.set(hole, FREE);
      taken = taken - 1;
    } finally {
      changing.unlock();
    }
  }

  /**
   * Gives a trial back after a load that failed; a bounded number of times, so that keys whose load
   * always fails are not tried forever.
   */
  void forgive(int hash) {
    changing.lock();
    try {
      if (forgiven < bound) {
        forgiven++;
        giveBack(hash);
      }
    } finally {
      changing.unlock();
    }
  }

  /** The number of keys that have a place. */
  int size() {
    return taken;
  }

  /** The index of an entry, or of the slot for it. */
  private int find(int entry) {
    int at = entry & mask;
    for (int held = slots.get(at); held != FREE && held != entry; held = slots.get(at)) {
      at = at + 1 & mask;
    }
    return at;
  }

  private static int entry(int hash) {
    int spread = hash * 0x9E3779B9;
    int entry = spread ^ spread >>> 15;
    return entry == FREE ? 1 : entry;
  }
}
