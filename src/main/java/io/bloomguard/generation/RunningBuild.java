package io.bloomguard.generation;

/** A build under way, as its store sees it. Called by any thread. */
public interface RunningBuild {

  /** How far it has come. */
  RebuildProgress progress();

  /** Stops it at its next key; without effect on one that has ended. */
  void cancel();

  /** Whether it was asked to stop. */
  boolean cancelled();
}
