package io.bloomguard.guard;

/**
 * The listener to a filter's guard. Called on the request's thread: returns at once, never throws.
 */
public interface GuardListener {

  GuardListener NONE = new GuardListener() {};

  /** A load begins, on the thread that calls the loader. */
  default LoadListener onLoad() {
    return LoadListener.NONE;
  }

  /** A wait for the right to load, or for another caller's load, ended after {@code nanos}. */
  default void onMutexWait(MutexResult result, long nanos) {}

  /** The listener to loads of values that have not ended yet. */
  default GuardListener ofRefreshes() {
    return this;
  }

  /** The listener to one load. */
  interface LoadListener {

    LoadListener NONE = new LoadListener() {};

    /** The call to the loader is over, on the thread it was made on; the load may not be. */
    default void onReturn() {}

    /** The load ended after {@code nanos}, on whichever thread. */
    default void onEnd(LoadResult result, long nanos) {}
  }

  /** How a load ended. */
  enum LoadResult {
    FOUND,
    ABSENT,
    ERROR
  }

  /** How a wait ended. */
  enum MutexResult {
    /** The caller got the lease. */
    ACQUIRED,
    /** The caller got what another one loaded. */
    SHARED,
    /** Neither came in time. */
    TIMEOUT
  }
}
