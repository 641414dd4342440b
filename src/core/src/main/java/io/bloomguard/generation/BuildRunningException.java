package io.bloomguard.generation;

/** A filter is being built already, here or in another process that shares it. */
public class BuildRunningException extends RuntimeException {

  /**
   * The refusal of a second build.
   *
   * @param filter the filter's name
   */
  public BuildRunningException(String filter) {
    super("Filter '" + filter + "' is being built already");
  }
}
