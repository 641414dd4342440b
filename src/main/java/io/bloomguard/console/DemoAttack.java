package io.bloomguard.console;

/** An attack on the application itself, with and without the guard, that the console can start. */
public interface DemoAttack {

  /** The most requests of one side. */
  int MAX_REQUESTS = 20_000;

  /**
   * Asks for ids that nobody has, first with the guard and then without it. Bounded in time: a side
   * may end before all its requests are made.
   *
   * @param requests of each side, 1 to {@link #MAX_REQUESTS}
   * @throws AttackRunningException if one runs
   */
  Report run(int requests);

  /** What came of both sides. */
  record Report(Side guarded, Side unguarded) {}

  /**
   * What came of one side.
   *
   * @param requests how many were made
   * @param databaseQueries how many of them went to the database
   * @param meanMicros time of a request, mean, in microseconds
   * @param medianMicros time within which half of them were answered
   * @param p99Micros time within which 99 of 100 were answered
   * @param elapsedMillis from the first to the last, in milliseconds
   */
  record Side(
      int requests,
      long databaseQueries,
      double meanMicros,
      double medianMicros,
      double p99Micros,
      double elapsedMillis) {}

  /** There is one attack at a time. */
  final class AttackRunningException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public AttackRunningException() {
      super("An attack runs already: wait for its end");
    }
  }
}
