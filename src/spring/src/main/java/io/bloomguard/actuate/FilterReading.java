package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.Reject;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one filter from which its figures are read, by the meters and the endpoint.
 *
 * <p>How the filter and its builds stand is read at most once a second, so that a scrape of all its
 * gauges asks its store once.
 */
final class FilterReading {

  private static final long MAX_AGE_NANOS = 1_000_000_000;

  private final OperatedFilter operated;
  private final LongSupplier ticker;
  private volatile @Nullable Seen seen;

  private record Seen(
      FilterStatus status, RebuildStatus rebuilds, @Nullable SubjectTotals subjects, long nanos) {}

  FilterReading(OperatedFilter operated, LongSupplier ticker) {
    this.operated = operated;
    this.ticker = ticker;
  }

  private Seen seen() {
    Seen last = seen;
    if (last == null || ticker.getAsLong() - last.nanos >= MAX_AGE_NANOS) {
      FilterStatus status = operated.filter().status();
      RebuildStatus rebuilds = operated.filter().rebuilds();
      SubjectTotals subjects =
          store() instanceof SubjectFilters bySubject ? bySubject.totals() : null;
      // The age counts from the read's end: a slow store may take longer than the greatest age.
      last = new Seen(status, rebuilds, subjects, ticker.getAsLong());
      seen = last;
    }
    return last;
  }

  OperatedFilter operated() {
    return operated;
  }

  /** How the filter is filled. */
  ManagedFilter filter() {
    return operated.filter();
  }

  /** How the filter is asked. */
  GuardedFilter guarded() {
    return operated.guarded();
  }

  FilterStore store() {
    return filter().store();
  }

  FilterStatus status() {
    return seen().status;
  }

  FilterShape shape() {
    return status().shape();
  }

  RebuildStatus rebuilds() {
    return seen().rebuilds;
  }

  /** The running build, in whichever process that shares the filter. */
  RebuildProgress progress() {
    return rebuilds().running();
  }

  /** The build that waits for a thread of this process where none runs; null for none. */
  @Nullable String queued() {
    return progress().running() ? null : filter().queuedRebuild().orElse(null);
  }

  boolean isBlacklist() {
    return guarded().rejection().reject() == Reject.PRESENT;
  }

  boolean isBySubject() {
    return store() instanceof SubjectFilters;
  }

  /** The size of the bits, in bytes; for filters by subject that of all of them in Redis. */
  long sizeBytes() {
    SubjectTotals totals = subjects();
    return totals == null ? shape().sizeBytes() : totals.bytes();
  }

  /** All subjects in sum; null where there is no filter for each. */
  @Nullable SubjectTotals subjects() {
    return seen().subjects;
  }

  /** The generations of a window, as they were when the store was read last; null for none. */
  @Nullable WindowStatus window() {
    seen();
    return store().window();
  }

  /** The store of a filter of which there may be a copy: a local one is here already. */
  @Nullable ReplicatedStore copied() {
    return store() instanceof ReplicatedStore store ? store : null;
  }

  /** Keys read over all keys, 0 while no build runs, NaN where the total is unknown. */
  double rebuilt() {
    if (!progress().running()) {
      return 0;
    }
    Long total = progress().total();
    return total == null || total == 0
        ? Double.NaN
        : Math.min(1, (double) progress().scanned() / total);
  }

  /** The end of the last build that succeeded, in seconds since the epoch; 0 for never. */
  double lastSuccess() {
    RebuildReport last = rebuilds().lastSuccess();
    return last == null ? 0 : last.finished().toEpochMilli() / 1000.0;
  }
}
