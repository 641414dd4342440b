package io.bloomguard.changes.internal.database;

/** A database, or what a user may do there, that lacks what a feed needs. */
public final class UnreadyDatabaseException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String problem;
  private final String remedy;

  UnreadyDatabaseException(String problem, String remedy) {
    super(problem + ". " + remedy);
    this.problem = problem;
    this.remedy = remedy;
  }

  /** {@return what is found, and the rule that it breaks} */
  public String problem() {
    return problem;
  }

  /** {@return the statement to run, in a sentence} */
  public String remedy() {
    return remedy;
  }
}
