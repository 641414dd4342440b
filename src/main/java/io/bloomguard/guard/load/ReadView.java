package io.bloomguard.guard.load;

import io.bloomguard.guard.Transactions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The greatest age of the data that one load reads: that of the transaction around the guarded
 * call, which may keep its own snapshot of the database. A transaction that begins inside the load
 * is not older than the load's lease.
 *
 * @param began the {@code nanoTime} at which the transaction began at the earliest, null for none
 */
public record ReadView(@Nullable Long began) {

  private static final ReadView NEWEST = new ReadView(null);

  /** The view of the calling thread. */
  public static ReadView of(Transactions transactions) {
    // Read before the age: a thread that is stopped in between takes the begin for earlier.
    long now = System.nanoTime();
    Duration age = transactions.age();
    return age == null ? NEWEST : new ReadView(now - age.toNanos());
  }

  public boolean inTransaction() {
    return began != null;
  }

  /** Whether the view may lack a write that ended {@code ago}; null for a write long forgotten. */
  public boolean mayLack(@Nullable Duration ago) {
    return began != null && ago != null && ago.toNanos() <= System.nanoTime() - began;
  }
}
