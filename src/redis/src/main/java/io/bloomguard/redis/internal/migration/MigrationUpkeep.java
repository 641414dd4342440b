package io.bloomguard.redis.internal.migration;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.internal.generation.RedisGenerations;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The regular work on the scheme migrations of one filter. */
public final class MigrationUpkeep {

  private final String filter;
  private final SchemeTracker tracker;
  private final Duration lateCommits;

  /** Whether a migration had no builder at the last two polls. */
  private volatile boolean buildDue;

  private boolean idle;

  /**
   * @param lateCommits how long after its add a row may commit
   */
  public MigrationUpkeep(String filter, SchemeTracker tracker, Duration lateCommits) {
    this.filter = filter;
    this.tracker = tracker;
    this.lateCommits = lateCommits;
  }

  /** The migration from one scheme to another. */
  public SchemeMigration of(RedisGenerations from, RedisGenerations to) {
    return new SchemeMigration(filter, from, to, lateCommits);
  }

  /** Whether a migration waits for a build that no process runs. */
  public boolean isBuildDue() {
    return buildDue && tracker.schemes().next() != null;
  }

  /**
   * Advances a migration that has begun as far as possible without a build.
   *
   * @param building whether some process builds the filter; called only during a migration
   * @throws StoreUnavailableException if Redis does not answer
   */
  public void advance(BooleanSupplier building) {
    ActiveSchemes now = tracker.schemes();
    RedisGenerations next = now.next();
    buildDue = false;
    if (next == null) {
      idle = false;
      SchemeMigration.repair(now.current());
      return;
    }
    if (next.hasArrived() && now.otherScheme() == null) {
      now.current().look();
      if (now.otherScheme() == null) {
        // The scheme arrived, and its predecessor replaced it, while this process slept.
        tracker.install(new ActiveSchemes(now.current(), null));
        return;
      }
    }
    boolean unbuilt = of(now.current(), next).advance() == SchemeMigration.Stage.UNBUILT;
    // Twice: a builder releases the lock a moment before it ends the migration.
    boolean wasIdle = idle;
    idle = unbuilt && !building.getAsBoolean();
    buildDue = idle && wasIdle;
    tracker.follow();
  }
}
