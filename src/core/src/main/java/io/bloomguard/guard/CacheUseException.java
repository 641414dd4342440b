package io.bloomguard.guard;

/**
 * A guard cannot use a cache as it asks: other users have it in another place, keep its entries in
 * another way or hold other keys equal, or its values could never be read back.
 */
public final class CacheUseException extends StartRefusedException {

  private static final long serialVersionUID = 1L;

  /** The use that is refused, as a predicate of the guard. */
  private final String problem;

  /**
   * The refusal of a use.
   *
   * @param problem the use that is refused, as a predicate of the guard
   * @param action the remedy
   */
  public CacheUseException(String problem, String action) {
    super("A guard " + problem, action);
    this.problem = problem;
  }

  /** {@return the use that is refused, as a predicate of the guard} */
  public String problem() {
    return problem;
  }
}
