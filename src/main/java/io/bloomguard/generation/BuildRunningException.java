package io.bloomguard.generation;

/** A filter is being built already, here or in another process that shares it. */
public class BuildRunningException extends RuntimeException {

  public BuildRunningException(String filter) {
    super("Filter '" + filter + "' is being built already");
  }
}
