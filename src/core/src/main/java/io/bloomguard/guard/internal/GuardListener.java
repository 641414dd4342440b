package io.bloomguard.guard.internal;

/**
 * The listener to a filter's guard. Called on the request's thread: returns at once, never throws.
 */
public interface GuardListener {

  /** The listener that does nothing. */
  GuardListener NONE = new GuardListener() {};

  /**
   * A load begins, on the thread that calls the loader.
   *
   * @return the listener to this load
   */
  default LoadListener onLoad() {
    return LoadListener.NONE;
  }

  /**
   * A wait for the permit to load, or for another caller's load, ended after {@code nanos}.
   *
   * @param result the end of the wait
   * @param nanos the duration of the wait, in nanoseconds
   */
  default void onMutexWait(MutexResult result, long nanos) {}

  /** {@return the listener to loads of values that are still alive} */
  default GuardListener ofRefreshes() {
    return this;
  }

  /** The listener to one load. */
  interface LoadListener {

    /** The listener that does nothing. */
    LoadListener NONE = new LoadListener() {};

    /**
     * The call of the loader returned, on the thread that made it; the load itself may still run.
     */
    default void onReturn() {}

    /**
     * The load ended after {@code nanos}, on any thread.
     *
     * @param result the end of the load
     * @param nanos the duration of the load, in nanoseconds
     */
    default void onEnd(LoadResult result, long nanos) {}
  }

  /** The result of a load. */
  enum LoadResult {
    /** The loader returned a value. */
    FOUND,
    /** The loader returned no value. */
    ABSENT,
    /** The loader threw, or took too long. */
    ERROR
  }

  /** The result of a wait. */
  enum MutexResult {
    /** The caller got the lease. */
    ACQUIRED,
    /** The caller got the value that another caller loaded. */
    SHARED,
    /** Neither the lease nor a value came in time. */
    TIMEOUT
  }
}
