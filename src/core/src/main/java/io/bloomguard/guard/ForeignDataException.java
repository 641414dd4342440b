package io.bloomguard.guard;

/**
 * Foreign data lies where a filter keeps its own, so that no key can be added. The data belongs to
 * another program, and is neither changed nor deleted, or to a filter with other settings.
 */
public class ForeignDataException extends AddFailedException {

  private static final long serialVersionUID = 1L;

  /**
   * The refusal of an add.
   *
   * @param filter the filter's name
   * @param reason the purpose of the place, and the remedy; it names no key and no subject
   */
  public ForeignDataException(String filter, String reason) {
    super("Filter '" + filter + "' could not take an add: " + reason, null);
  }
}
