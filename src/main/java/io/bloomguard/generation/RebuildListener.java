package io.bloomguard.generation;

/** Hears when builds of a filter begin and end. Called on the thread that builds. */
public interface RebuildListener {

  RebuildListener NONE = new RebuildListener() {};

  default void onStart(String run, RebuildTrigger trigger) {}

  default void onEnd(RebuildReport report) {}
}
