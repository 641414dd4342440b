package io.bloomguard.guard.internal.verify;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.MembershipStore;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The rejections that are tried: those of the first keys of each generation, and a share of the
 * others, both at a bounded rate.
 *
 * <p>A key that is not chosen costs a few field reads and a random number: no lock, no allocation.
 */
final class Sample {

  private final MembershipStore store;
  private final LateKeys late;
  private final int bound;

  /** The sampled share as a bound on 63 random bits. */
  private final long threshold;

  final TokenBucket rate;
  private final AtomicReference<First> first;

  /**
   * A sample without any key yet.
   *
   * @param late the keys that wait for a verdict: while they are full, no key is chosen
   * @param ticker a monotonic clock, in nanoseconds
   */
  Sample(MembershipStore store, VerifySettings settings, LateKeys late, LongSupplier ticker) {
    this.store = store;
    this.late = late;
    this.bound = settings.verifies() ? settings.first() : 0;
    this.threshold = (long) (settings.sample() * 0x1p63);
    this.rate = TokenBucket.perSecond(settings.maxPerSecond(), ticker);
    this.first = new AtomicReference<>(new First(store.generation(), bound));
  }

  /** Whether a rejected key is to be tried. Counts it as begun. */
  boolean selects(Object key) {
    First keys = follow();
    if (keys.open() && selectsFirst(keys, hash(key))) {
      return true;
    }
    return threshold > 0
        && ThreadLocalRandom.current().nextLong() >>> 1 < threshold
        && !late.isFull()
        && rate.tryTake();
  }

  /** Reads the bucket first: while it is empty, no place is taken and given back. */
  private boolean selectsFirst(First keys, int hash) {
    if (late.isFull() || !rate.hasToken() || !keys.tryTake(hash)) {
      return false;
    }
    if (rate.tryTake()) {
      return true;
    }
    keys.giveBack(hash);
    return false;
  }

  /** The first keys of the generation that serves now. */
  First follow() {
    First keys = first.get();
    long generation = store.generation();
    return keys.generation == generation
        ? keys
        : first.updateAndGet(
            now -> now.generation == generation ? now : new First(generation, bound));
  }

  /** Forgets the first keys of the generation that serves: they are tried again. */
  void renew() {
    first.set(new First(store.generation(), bound));
  }

  /** Gives up a chosen key, which may be tried another time. */
  void giveUp(Object key) {
    first.get().giveBack(hash(key));
  }

  /** Notes that the load of a chosen key has failed. */
  void failed(String key) {
    first.get().forgive(hash(key));
  }

  /**
   * The hash of a key, equal for its spellings as text; that of a number is the hash of its decimal
   * form.
   */
  static int hash(Object key) {
    return key instanceof Long
            || key instanceof Integer
            || key instanceof Short
            || key instanceof Byte
        ? decimalHash(((Number) key).longValue())
        : CanonicalKey.of(key).hashCode();
  }

  /**
   * {@code Long.toString(number).hashCode()} without the text, from the last digit to the first.
   */
  static int decimalHash(long number) {
    int hash = 0;
    int power = 1;
    long left = number;
    do {
      hash += ('0' + (int) Math.abs(left % 10)) * power;
      power *= 31;
      left /= 10;
    } while (left != 0);
    return number < 0 ? hash + '-' * power : hash;
  }

  /**
   * The first keys that one generation rejected in this process, by their hashes: two keys with one
   * hash count as one.
   */
  static final class First {

    private final long generation;

    /** The moment at which this process first saw the generation, by {@code System.nanoTime()}. */
    final long since = System.nanoTime();

    private final int bound;
    private final Set<Integer> keys = ConcurrentHashMap.newKeySet();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger forgiven = new AtomicInteger();

    /**
     * @param bound the number of keys that have a place
     */
    First(long generation, int bound) {
      this.generation = generation;
      this.bound = bound;
    }

    /** Whether there is room for another key. */
    boolean open() {
      return taken.get() < bound;
    }

    /** Takes a place for a key; false if the key has one, or there is none. */
    boolean tryTake(int hash) {
      if (keys.contains(hash)) {
        return false;
      }
      if (taken.incrementAndGet() <= bound && keys.add(hash)) {
        return true;
      }
      taken.decrementAndGet();
      return false;
    }

    /**
     * Gives the place of a key back, if it has one: another key may take it, or the same key again.
     */
    void giveBack(int hash) {
      if (keys.remove(hash)) {
        taken.decrementAndGet();
      }
    }

    /**
     * Gives a trial back after a load that failed; a bounded number of times, so that keys whose
     * load always fails are not tried forever.
     */
    void forgive(int hash) {
      if (forgiven.get() < bound && forgiven.getAndIncrement() < bound) {
        giveBack(hash);
      }
    }

    /** The number of keys that have a place. */
    int size() {
      return keys.size();
    }
  }
}
