package io.bloomguard.it.faults;

/**
 * Something that goes wrong, and what may follow from it.
 *
 * @param where the Redis it is made on
 * @param strike makes it, and mends what would be mended by an operator or by time
 * @param inShort how often in the short form; 0 for never
 * @param inFull how often in the full form
 * @param cacheKept whether value cache, leases and barriers survive it
 * @param loads how many loads of one key it excuses
 * @param seconds within how many seconds after it everything must be normal again
 */
record Fault(
    String name,
    Where where,
    Strike strike,
    int inShort,
    int inFull,
    boolean cacheKept,
    int loads,
    int seconds) {

  private static final int SECONDS = 30;

  /** The forms of Redis. */
  enum Where {
    STANDALONE,
    SENTINEL,
    CLUSTER
  }

  /** Makes the fault once. */
  @FunctionalInterface
  interface Strike {
    void on(World world) throws Exception;
  }

  static Fault of(Where where, String name, Strike strike) {
    return new Fault(name, where, strike, 1, 3, true, 1, SECONDS);
  }

  Fault times(int inShortForm, int inFullForm) {
    return new Fault(name, where, strike, inShortForm, inFullForm, cacheKept, loads, seconds);
  }

  /** What is in the value cache may be lost: each process may load for itself. */
  Fault losesCache() {
    return new Fault(name, where, strike, inShort, inFull, false, 3, seconds);
  }

  Fault excusing(int loadsOfOneKey) {
    return new Fault(name, where, strike, inShort, inFull, cacheKept, loadsOfOneKey, seconds);
  }

  Fault within(int moreSeconds) {
    return new Fault(name, where, strike, inShort, inFull, cacheKept, loads, moreSeconds);
  }
}
