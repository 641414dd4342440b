package io.bloomguard.guard;

/**
 * Data that is not a filter's at a place where it keeps its own, so that no key can be added:
 * another program's, which is neither changed nor deleted, or that of a filter with other settings.
 */
public class PlaceTakenException extends AddFailedException {

  private static final long serialVersionUID = 1L;

  /**
   * @param reason what the place is for, and what to do; it names no key and no subject
   */
  public PlaceTakenException(String filter, String reason) {
    super("Filter '" + filter + "' could not take an add: " + reason, null);
  }
}
