package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;

/** The listener to the begin and the end of a filter's builds. */
public interface RebuildListener {

  /** The listener that does nothing. */
  RebuildListener NONE = new RebuildListener() {};

  /**
   * Called on the thread that builds, before {@link #onReading}.
   *
   * @param run the identifier of the build
   * @param trigger the reason for the build
   */
  default void onStart(String run, RebuildTrigger trigger) {}

  /**
   * Called on the thread that reads the source; closed there at the end of the reading.
   *
   * @param run the identifier of the build
   * @return the listener to the end of this reading
   */
  default Reading onReading(String run) {
    return () -> {};
  }

  /**
   * Called on the thread that builds.
   *
   * @param report the end of the build
   */
  default void onEnd(RebuildReport report) {}

  /** A reading of the source that is under way. */
  interface Reading extends AutoCloseable {

    @Override
    void close();
  }
}
