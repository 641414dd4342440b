package io.bloomguard.guard.load;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Transactions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The greatest age of the data that one load reads: that of the transaction around the guarded
 * call, which may keep its own snapshot of the database, or of a session, which may keep the rows
 * that it has read. A transaction that begins inside the load, and a session that is opened there,
 * is not older than the load's lease.
 *
 * @param began the {@code nanoTime} from which the oldest data may be, null if all reads are new
 */
public record ReadView(@Nullable Long began) {

  private static final ReadView NEWEST = new ReadView(null);

  /** The view of the calling thread. */
  public static ReadView of(Transactions transactions) {
    // Read before the age: a thread that is stopped in between takes the begin for earlier.
    long now = System.nanoTime();
    Duration age = transactions.readAge();
    return age == null ? NEWEST : new ReadView(now - age.toNanos());
  }

  /**
   * The view of what the calling thread has read since {@code moment} in sessions that are older
   * than {@link #of} could tell; the newest if there were none.
   */
  static ReadView used(Transactions transactions, long moment) {
    long now = System.nanoTime();
    Duration age = transactions.usedAge(moment);
    return age == null ? NEWEST : new ReadView(now - age.toNanos());
  }

  /** Whether reads may return older data than that of their time. */
  public boolean mayBeOld() {
    return began != null;
  }

  /**
   * Whether the view may lack a write that ended {@code ago}; null if none is remembered. An older
   * view than any write that is remembered may lack one that is forgotten; of a view with an
   * unknown age that is not assumed, since most are young.
   */
  public boolean mayLack(@Nullable Duration ago) {
    if (began == null) {
      return false;
    }
    long age = System.nanoTime() - began;
    return ago != null
        ? ago.toNanos() <= age
        : age >= CacheSettings.RECENT.toNanos() && age < Transactions.UNKNOWN_AGE.toNanos();
  }
}
