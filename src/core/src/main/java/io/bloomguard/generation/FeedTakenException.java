package io.bloomguard.generation;

/** Another process reads the changes of a filter by now. */
public class FeedTakenException extends RuntimeException {

  /**
   * The refusal of what an earlier reader passes.
   *
   * @param filter the filter's name
   */
  public FeedTakenException(String filter) {
    super("Another process reads the changes of filter '" + filter + "' by now");
  }
}
