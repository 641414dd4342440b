package io.bloomguard.generation;

/** A build under way, from the view of its store. Called by any thread. */
public interface RunningBuild {

  /** {@return the progress of the build} */
  RebuildProgress progress();

  /** Stops the build at its next key; without effect on a build that has ended. */
  void cancel();

  /** {@return whether the build was asked to stop} */
  boolean cancelled();
}
