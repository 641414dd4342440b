package io.bloomguard.it.faults;

import java.util.SplittableRandom;

/**
 * Something that goes wrong, and what may follow from it.
 *
 * @param where the Redis it is made on
 * @param begins the server that it is made to
 * @param strike makes it, and mends what would be mended by an operator or by time
 * @param inShort how often in the short form; 0 for never
 * @param inFull how often in the full form
 * @param cacheKept whether value cache, leases and barriers survive it
 * @param loads how many loads of one key it excuses
 * @param seconds within how many seconds after it everything must be normal again
 * @param changesFilter whether the filter has another hashing afterwards, or the shops other
 *     settings
 */
record Fault(
    String name,
    Where where,
    Beginning begins,
    Strike strike,
    int inShort,
    int inFull,
    boolean cacheKept,
    int loads,
    int seconds,
    boolean changesFilter) {

  private static final int SECONDS = 30;

  /** The forms of Redis. */
  enum Where {
    STANDALONE,
    /** One alone, whose wall clock and those of the shops can be put forward and back. */
    CLOCKS,
    SENTINEL,
    CLUSTER
  }

  /** Makes the fault once. */
  @FunctionalInterface
  interface Strike {
    void on(World world) throws Exception;
  }

  static Fault of(Where where, String name, Strike strike) {
    Beginning begins = Beginning.ordinary(where);
    return new Fault(name, where, begins, strike, 1, 3, true, 1, SECONDS, false);
  }

  Fault times(int inShortForm, int inFullForm) {
    return new Fault(
        name,
        where,
        begins,
        strike,
        inShortForm,
        inFullForm,
        cacheKept,
        loads,
        seconds,
        changesFilter);
  }

  /** What is in the value cache may be lost: each process may load for itself. */
  Fault losesCache() {
    return new Fault(
        name, where, begins, strike, inShort, inFull, false, 3, seconds, changesFilter);
  }

  Fault excusing(int loadsOfOneKey) {
    return new Fault(
        name,
        where,
        begins,
        strike,
        inShort,
        inFull,
        cacheKept,
        loadsOfOneKey,
        seconds,
        changesFilter);
  }

  Fault within(int moreSeconds) {
    return new Fault(
        name, where, begins, strike, inShort, inFull, cacheKept, loads, moreSeconds, changesFilter);
  }

  /** Later faults that need the filter as it was get a world of their own. */
  Fault changingFilter() {
    return new Fault(name, where, begins, strike, inShort, inFull, cacheKept, loads, seconds, true);
  }

  /** Its place in the order that a seed gives, the same whatever other faults are run. */
  long place(long seed) {
    return new SplittableRandom(31 * seed + name.hashCode()).nextLong();
  }
}
