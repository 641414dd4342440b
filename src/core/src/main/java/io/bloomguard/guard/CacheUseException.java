package io.bloomguard.guard;

/**
 * A guard cannot use a cache as it asks: other users have it in another place or keep its entries
 * in another way, or its values could never be read back.
 */
public class CacheUseException extends RuntimeException {

  /** The use that is refused, as a predicate of the guard. */
  private final String problem;

  /** The remedy, in a sentence. */
  private final String action;

  /**
   * The refusal of a use.
   *
   * @param problem the use that is refused, as a predicate of the guard
   * @param action the remedy
   */
  public CacheUseException(String problem, String action) {
    super("A guard " + problem);
    this.problem = problem;
    this.action = action;
  }

  /** {@return the remedy} */
  public String action() {
    return action;
  }

  /** {@return the guard's reaction, as a predicate} */
  public String problem() {
    return problem;
  }
}
