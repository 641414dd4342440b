package io.bloomguard.guard;

/** Hears what a filter's guard does. Called on the request's thread, so it returns at once. */
public interface GuardListener {

  GuardListener NONE = new GuardListener() {};

  /** A load ended after {@code nanos}. */
  default void onLoad(LoadResult result, long nanos) {}

  /** A wait for the right to load, or for another caller's load, ended after {@code nanos}. */
  default void onMutexWait(MutexResult result, long nanos) {}

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
