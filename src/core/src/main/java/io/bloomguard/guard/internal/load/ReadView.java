package io.bloomguard.guard.internal.load;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Transactions;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The greatest age of the data that one load reads: that of the transaction around the guarded
 * call, which may keep its own snapshot of the database, or of a session, which may keep the rows
 * that it has read. A transaction that begins inside the load, and a session that is opened there,
 * is not older than the load's lease.
 *
 * @param began the {@code nanoTime} from which the oldest data may be, null if all reads are new
 * @param sessions those that the calling thread uses besides, in which the load may read too
 */
public record ReadView(@Nullable Long began, LongFunction<@Nullable Long> sessions) {

  private static final ReadView NEWEST = new ReadView(null);

  /** A view without sessions besides. */
  public ReadView(@Nullable Long began) {
    this(began, Transactions.NO_SESSIONS);
  }

  /** The view of the calling thread. */
  public static ReadView of(Transactions transactions) {
    Long began = transactions.readsSince();
    LongFunction<@Nullable Long> sessions = transactions.used();
    return began == null && sessions == Transactions.NO_SESSIONS
        ? NEWEST
        : new ReadView(began, sessions);
  }

  /**
   * The view of what was read since {@code moment} in older sessions than this view, on any thread;
   * the newest if nothing was.
   */
  ReadView used(long moment) {
    return beside(sessions.apply(moment));
  }

  /** This view, with the sessions of the thread of {@code end}, on which the load has ended. */
  public ReadView used(long moment, ReadView end) {
    ReadView mine = used(moment);
    ReadView its = beside(end.used(moment).began);
    return mine.mayBeOld() ? mine.beside(its.began).mayBeOld() ? its : mine : its;
  }

  /** The view of a session that is older than this view; the newest if it is not. */
  private ReadView beside(@Nullable Long opened) {
    return opened == null || began != null && opened - began >= 0 ? NEWEST : new ReadView(opened);
  }

  /** Whether reads may return older data than that of their time. */
  public boolean mayBeOld() {
    return began != null;
  }

  /**
   * Whether the view may lack the last write, which ended no later than {@code last}; null if none
   * is remembered. An older view than any write that is remembered may lack one that is forgotten;
   * of a view with an unknown age that is not assumed, since most are young.
   */
  public boolean mayLack(@Nullable Long last) {
    if (began == null) {
      return false;
    }
    if (last != null) {
      return last - began >= 0;
    }
    long age = System.nanoTime() - began;
    return age >= CacheSettings.RECENT.toNanos() && age < Transactions.UNKNOWN_AGE.toNanos();
  }
}
