package io.bloomguard.guard;

/**
 * A guard cannot use a cache as it asks: others have it in another place or keep its entries in
 * another way, or its values could never be read back.
 */
public class CacheUseException extends RuntimeException {

  private final String problem;
  private final String action;

  /**
   * @param problem what the guard does, as a predicate
   * @param action what to do about it
   */
  public CacheUseException(String problem, String action) {
    super("A guard " + problem);
    this.problem = problem;
    this.action = action;
  }

  /** What to do about it. */
  public String action() {
    return action;
  }

  /** The guard's reaction, as a predicate. */
  public String problem() {
    return problem;
  }
}
