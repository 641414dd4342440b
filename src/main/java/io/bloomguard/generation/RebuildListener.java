package io.bloomguard.generation;

/** The listener to the begin and the end of a filter's builds. */
public interface RebuildListener {

  RebuildListener NONE = new RebuildListener() {};

  /** Called on the thread that builds, before {@link #onReading}. */
  default void onStart(String run, RebuildTrigger trigger) {}

  /** Called on the thread that reads the source; closed there at the end of the reading. */
  default Reading onReading(String run) {
    return () -> {};
  }

  /** Called on the thread that builds. */
  default void onEnd(RebuildReport report) {}

  /** A reading of the source that is under way. */
  interface Reading extends AutoCloseable {

    @Override
    void close();
  }
}
