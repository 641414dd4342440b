package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.JournalSize;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.verify.Verification;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The counters and gauges of all filters, registered at zero with all their tags.
 *
 * <p>How a filter and its builds stand is read at most once a second, so that a scrape of all its
 * gauges asks its store once. The gauges of builds are of all processes that share the filter, the
 * timers, which are {@link BloomTimers}, of the builds of this one.
 */
public final class BloomMeters implements MeterBinder {

  private static final String RATIO = "ratio";

  /** Held here because the registry holds what it measures weakly. */
  private final List<Measured> filters;

  /**
   * Meters that are not registered yet.
   *
   * @param filters the filters whose meters are registered with each registry
   */
  public BloomMeters(OperatedFilters filters) {
    this(filters, System::nanoTime);
  }

  BloomMeters(OperatedFilters filters, LongSupplier ticker) {
    this.filters = filters.all().stream().map(filter -> new Measured(filter, ticker)).toList();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (Measured filter : filters) {
      bindRequests(registry, filter);
      bindVerified(registry, filter, "confirmed", Verification::confirmed);
      bindVerified(registry, filter, "late", Verification::late);
      bindVerified(registry, filter, "spelling", Verification::spellings);
      bindVerified(registry, filter, "wrong", Verification::wrong);
      bindFilter(registry, filter);
      bindRebuild(registry, filter);
      bindReplica(registry, filter);
      bindChanges(registry, filter);
      bindSubjects(registry, filter);
      bindWindow(registry, filter);
    }
  }

  private static void bindRequests(MeterRegistry registry, Measured filter) {
    for (EntryPoint entry : EntryPoint.values()) {
      for (Outcome outcome : Outcome.values()) {
        FunctionCounter.builder(
                BloomMetricNames.REQUESTS,
                filter.operated.guarded().counters(),
                counters -> counters.count(entry, outcome))
            .description("Keys by where they entered and how their way ended")
            .tag(BloomMetricNames.TAG_FILTER, filter.operated.name())
            .tag(BloomMetricNames.TAG_ENTRY, entry.tag())
            .tag(BloomMetricNames.TAG_OUTCOME, outcome.tag())
            .register(registry);
      }
    }
  }

  private static void bindVerified(
      MeterRegistry registry,
      Measured filter,
      String result,
      ToDoubleFunction<Verification> count) {
    FunctionCounter.builder(
            BloomMetricNames.VERIFIED, filter.operated.guarded().verification(), count)
        .description("Rejections that were let through to the load, by the verdict on them")
        .tag(BloomMetricNames.TAG_FILTER, filter.operated.name())
        .tag(BloomMetricNames.TAG_RESULT, result)
        .register(registry);
  }

  private static void bindFilter(MeterRegistry registry, Measured filter) {
    gauge(BloomMetricNames.FILL, filter, f -> f.status().fillRatio())
        .description("Bits set over all bits")
        .baseUnit(RATIO)
        .register(registry);
    gauge(
            BloomMetricNames.FPP,
            filter,
            f -> f.operated.filter().settings().falsePositiveProbability())
        .description("False-positive probability, as configured and at the present fill")
        .tag(BloomMetricNames.TAG_KIND, "configured")
        .baseUnit(RATIO)
        .register(registry);
    gauge(BloomMetricNames.FPP, filter, f -> f.status().expectedFalsePositiveProbability())
        .description("False-positive probability, as configured and at the present fill")
        .tag(BloomMetricNames.TAG_KIND, "expected")
        .baseUnit(RATIO)
        .register(registry);
    gauge(BloomMetricNames.ELEMENTS, filter, f -> f.status().estimatedElements())
        .description("Distinct keys, estimated")
        .register(registry);
    gauge(BloomMetricNames.CAPACITY, filter, f -> f.status().shape().expectedInsertions())
        .description("Distinct keys that the serving generation is made for")
        .register(registry);
    gauge(BloomMetricNames.SIZE, filter, Measured::sizeBytes)
        .description("Size of the bits; for filters by subject that of all of them in Redis")
        .baseUnit("bytes")
        .register(registry);
    bindJournal(registry, filter, "heap", JournalSize::heap);
    bindJournal(registry, filter, "redis", JournalSize::shared);
    gauge(
            BloomMetricNames.JOURNAL_LIMIT,
            filter,
            f -> f.operated.filter().store().journalSize().bound())
        .description("The size of a journal of recent adds past which adds are refused")
        .baseUnit("bytes")
        .register(registry);
    gauge(
            BloomMetricNames.BLACKLIST,
            filter,
            f -> f.operated.guarded().rejection().reject() == Reject.PRESENT ? 1 : 0)
        .description("1 for a filter that rejects the keys it holds, 0 for the others")
        .register(registry);
    for (FilterState state : FilterState.values()) {
      gauge(BloomMetricNames.STATE, filter, f -> f.status().state() == state ? 1 : 0)
          .description("1 for the state that the filter is in, 0 for the others")
          .tag(BloomMetricNames.TAG_STATE, state.tag())
          .register(registry);
    }
  }

  private static void bindJournal(
      MeterRegistry registry, Measured filter, String kind, ToDoubleFunction<JournalSize> size) {
    gauge(
            BloomMetricNames.JOURNAL,
            filter,
            f -> size.applyAsDouble(f.operated.filter().store().journalSize()))
        .description("Size of the journal of recent adds, on this process' heap and in Redis")
        .tag(BloomMetricNames.TAG_KIND, kind)
        .baseUnit("bytes")
        .register(registry);
  }

  private static void bindRebuild(MeterRegistry registry, Measured filter) {
    gauge(BloomMetricNames.REBUILD_PROGRESS, filter, Measured::progress)
        .description("Keys read over all keys while a build runs, 0 while none runs")
        .baseUnit(RATIO)
        .register(registry);
    gauge(BloomMetricNames.REBUILD_LAST_SUCCESS, filter, Measured::lastSuccess)
        .description("When the last build that succeeded ended, since the epoch; 0 for never")
        .baseUnit("seconds")
        .register(registry);
  }

  /** For filters of which there may be a copy: a local one is here already. */
  private static void bindReplica(MeterRegistry registry, Measured filter) {
    if (filter.operated.filter().store() instanceof ReplicatedStore store) {
      gauge(BloomMetricNames.REPLICA_LAG, filter, f -> store.replicaLagSeconds())
          .description("Time since this process' copy was last known to lack nothing, NaN for none")
          .baseUnit("seconds")
          .register(registry);
      bindCopies(registry, filter, store);
    }
  }

  private static void bindCopies(MeterRegistry registry, Measured filter, ReplicatedStore store) {
    FunctionTimer.builder(
            BloomMetricNames.COPIES_WAIT,
            store,
            s -> s.copyWaits().adds(),
            s -> s.copyWaits().nanos(),
            TimeUnit.NANOSECONDS)
        .description("Waits of writers for copies of all processes that may lack an add")
        .tag(BloomMetricNames.TAG_FILTER, filter.operated.name())
        .register(registry);
    FunctionCounter.builder(BloomMetricNames.COPIES_EXPIRED, store, s -> s.copyWaits().ranOut())
        .description("Leases of copies that a writer has waited for until they had run out")
        .tag(BloomMetricNames.TAG_FILTER, filter.operated.name())
        .register(registry);
    gauge(BloomMetricNames.COPIES, filter, f -> store.copyWaits().copies())
        .description("Copies of all processes that hold a lease, as this process saw them last")
        .register(registry);
  }

  private static void bindChanges(MeterRegistry registry, Measured filter) {
    FilterFeed feed = filter.operated.filter().feed();
    if (feed == null) {
      return;
    }
    gauge(BloomMetricNames.CHANGES_LAG, filter, f -> feed.ageSeconds())
        .description("Time since every committed change was known to be applied, NaN for never")
        .baseUnit("seconds")
        .register(registry);
    gauge(BloomMetricNames.CHANGES_RETAINED, filter, f -> feed.retainedBytes())
        .description("Log that the database keeps for the feed, NaN if it keeps none for it")
        .baseUnit("bytes")
        .register(registry);
    for (Change.Kind kind : Change.Kind.values()) {
      FunctionCounter.builder(BloomMetricNames.CHANGES_APPLIED, feed, f -> f.applied(kind))
          .description("Changes of rows that this process has applied")
          .tag(BloomMetricNames.TAG_FILTER, filter.operated.name())
          .tag(BloomMetricNames.TAG_KIND, kind.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
    FunctionCounter.builder(BloomMetricNames.CHANGES_FAILURES, feed, FilterFeed::failures)
        .description("Failures of this process to read or apply changes")
        .tag(BloomMetricNames.TAG_FILTER, filter.operated.name())
        .register(registry);
  }

  /** In sum: a subject is never a tag. */
  private static void bindSubjects(MeterRegistry registry, Measured filter) {
    if (filter.operated.subjects() == null) {
      return;
    }
    bindSubjects(registry, filter, "live", SubjectTotals::count);
    bindSubjects(registry, filter, "limit", SubjectTotals::maxCount);
    gauge(BloomMetricNames.SUBJECT_FILL, filter, f -> f.subjects(SubjectTotals::fillMax))
        .description("The highest fill ratio of a few subjects that were drawn at random")
        .baseUnit(RATIO)
        .register(registry);
  }

  private static void bindSubjects(
      MeterRegistry registry, Measured filter, String kind, ToDoubleFunction<SubjectTotals> count) {
    gauge(BloomMetricNames.SUBJECTS, filter, f -> f.subjects(count))
        .description("Subjects that have a filter, and the most that may")
        .tag(BloomMetricNames.TAG_KIND, kind)
        .register(registry);
  }

  private static void bindWindow(MeterRegistry registry, Measured filter) {
    FilterStore store = filter.operated.filter().store();
    gauge(BloomMetricNames.ROTATES, filter, f -> store.rotates() ? 1 : 0)
        .description("1 for a filter that forgets added keys by itself, 0 for the others")
        .register(registry);
    if (store.window() != null) {
      bindGenerations(registry, filter, "live", WindowStatus::live);
      bindGenerations(registry, filter, "limit", window -> window.window().count());
    }
  }

  private static void bindGenerations(
      MeterRegistry registry, Measured filter, String kind, ToDoubleFunction<WindowStatus> count) {
    gauge(BloomMetricNames.GENERATIONS, filter, f -> f.window(count))
        .description("Generations of a window that hold keys, and the most")
        .tag(BloomMetricNames.TAG_KIND, kind)
        .register(registry);
  }

  private static Gauge.Builder<Measured> gauge(
      String name, Measured filter, ToDoubleFunction<Measured> value) {
    return Gauge.builder(name, filter, value)
        .tag(BloomMetricNames.TAG_FILTER, filter.operated.name());
  }

  /** One filter as it stood within the last second. */
  private static final class Measured {

    private static final long MAX_AGE_NANOS = 1_000_000_000;

    private final OperatedFilter operated;
    private final LongSupplier ticker;
    private volatile @Nullable Seen seen;

    Measured(OperatedFilter operated, LongSupplier ticker) {
      this.operated = operated;
      this.ticker = ticker;
    }

    FilterStatus status() {
      return seen().status;
    }

    double sizeBytes() {
      SubjectTotals totals = operated.subjects();
      return totals == null ? status().shape().sizeBytes() : totals.bytes();
    }

    double subjects(ToDoubleFunction<SubjectTotals> value) {
      SubjectTotals totals = operated.subjects();
      return totals == null ? Double.NaN : value.applyAsDouble(totals);
    }

    /** After a look at the store: a window is as it was when it was read last. */
    double window(ToDoubleFunction<WindowStatus> value) {
      seen();
      WindowStatus window = operated.filter().store().window();
      return window == null ? Double.NaN : value.applyAsDouble(window);
    }

    private Seen seen() {
      Seen last = seen;
      if (last == null || ticker.getAsLong() - last.nanos >= MAX_AGE_NANOS) {
        FilterStatus status = operated.filter().status();
        RebuildStatus rebuilds = operated.filter().rebuilds();
        // The age counts from the read's end: a slow store may take longer than the greatest age.
        last = new Seen(status, rebuilds, ticker.getAsLong());
        seen = last;
      }
      return last;
    }

    double progress() {
      RebuildProgress progress = seen().rebuilds.running();
      if (!progress.running()) {
        return 0;
      }
      Long total = progress.total();
      return total == null || total == 0
          ? Double.NaN
          : Math.min(1, (double) progress.scanned() / total);
    }

    double lastSuccess() {
      RebuildReport last = seen().rebuilds.lastSuccess();
      return last == null ? 0 : seconds(last.finished());
    }

    private static double seconds(Instant time) {
      return time.toEpochMilli() / 1000.0;
    }

    private record Seen(FilterStatus status, RebuildStatus rebuilds, long nanos) {}
  }
}
