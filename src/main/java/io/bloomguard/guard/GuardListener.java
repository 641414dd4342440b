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

  /** The listener to loads of values that are still alive. */
  default GuardListener ofRefreshes() {
    return this;
  }

  /** The listener to one load. */
  interface LoadListener {

    LoadListener NONE = new LoadListener() {};

    /**
     * The call of the loader returned, on the thread that made it; the load itself may still run.
     */
    default void onReturn() {}

    /** The load ended after {@code nanos}, on any thread. */
    default void onEnd(LoadResult result, long nanos) {}
  }

  /** The result of a load. */
  enum LoadResult {
    FOUND,
    ABSENT,
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
