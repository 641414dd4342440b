package io.bloomguard.guard.internal.verify;

import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.guard.MembershipStore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The choice of the rejections that are tried: the first keys of each generation, and a sample of
 * the others, both at a bounded rate.
 *
 * <p>A key that is not chosen costs a few field reads and a random number: no lock, no allocation.
 */
final class TrialSelection {

  private final MembershipStore store;
  private final LateKeys late;
  private final int firstBound;

  /** The sampled share as a bound on 63 random bits. */
  private final long threshold;

  private final TokenBucket rate;
  private final ReentrantLock renewing = new ReentrantLock();
  private volatile FirstKeys first;

  /**
   * A selection without any choice yet.
   *
   * @param late the keys that wait for a verdict: while they are full, no key is chosen
   * @param ticker a monotonic clock, in nanoseconds
   */
  TrialSelection(
      MembershipStore store, VerifySettings settings, LateKeys late, LongSupplier ticker) {
    this.store = store;
    this.late = late;
    this.firstBound = settings.verifies() ? settings.first() : 0;
    this.threshold = (long) (settings.sample() * 0x1p63);
    this.rate = TokenBucket.perSecond(settings.maxPerSecond(), ticker);
    this.first = new FirstKeys(store.generation(), System.nanoTime(), firstBound);
  }

  /** Whether a rejected key is to be tried. Counts it as begun. */
  boolean selects(Object key) {
    FirstKeys keys = current();
    if (keys.open() && selectsFirst(keys, hash(key))) {
      return true;
    }
    return isSampled() && !late.isFull() && rate.tryTake();
  }

  /** Reads the bucket first: while it is empty, no place is taken and given back. */
  private boolean selectsFirst(FirstKeys keys, int hash) {
    if (keys.has(hash) || late.isFull() || !rate.hasToken() || !keys.tryTake(hash)) {
      return false;
    }
    if (rate.tryTake()) {
      return true;
    }
    keys.giveBack(hash);
    return false;
  }

  /** Whether a rejected key may pass that is not tried. Counts it at the rate of those that are. */
  boolean letsPass() {
    return rate.tryTake();
  }

  private boolean isSampled() {
    return threshold > 0 && ThreadLocalRandom.current().nextLong() >>> 1 < threshold;
  }

  /** The first keys of the generation that serves now. */
  private FirstKeys current() {
    FirstKeys keys = first;
    long generation = store.generation();
    return keys.generation == generation ? keys : renewed(generation);
  }

  private FirstKeys renewed(long generation) {
    renewing.lock();
    try {
      if (first.generation != generation) {
        first = new FirstKeys(generation, System.nanoTime(), firstBound);
      }
      return first;
    } finally {
      renewing.unlock();
    }
  }

  /** Notes the generation that serves now. */
  void follow() {
    current();
  }

  /** Forgets the first keys of the generation that serves: they are tried again. */
  void renew() {
    first = new FirstKeys(store.generation(), System.nanoTime(), firstBound);
  }

  /**
   * Whether this process first saw the serving generation after a moment.
   *
   * @param moment of {@code System.nanoTime()}
   */
  boolean isNewerThan(long moment) {
    return current().since - moment > 0;
  }

  /** Gives up a chosen key, which may be tried another time. */
  void giveUp(Object key) {
    first.giveBack(hash(key));
  }

  /** Notes that the load of a chosen key has failed. */
  void failed(String key) {
    first.forgive(hash(key));
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
}
