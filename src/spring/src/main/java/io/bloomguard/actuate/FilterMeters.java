package io.bloomguard.actuate;

import static io.bloomguard.actuate.BloomMetricNames.BLACKLIST;
import static io.bloomguard.actuate.BloomMetricNames.CAPACITY;
import static io.bloomguard.actuate.BloomMetricNames.CHANGES_APPLIED;
import static io.bloomguard.actuate.BloomMetricNames.CHANGES_FAILURES;
import static io.bloomguard.actuate.BloomMetricNames.CHANGES_LAG;
import static io.bloomguard.actuate.BloomMetricNames.CHANGES_RETAINED;
import static io.bloomguard.actuate.BloomMetricNames.COPIES;
import static io.bloomguard.actuate.BloomMetricNames.COPIES_EXPIRED;
import static io.bloomguard.actuate.BloomMetricNames.COPIES_WAIT;
import static io.bloomguard.actuate.BloomMetricNames.ELEMENTS;
import static io.bloomguard.actuate.BloomMetricNames.FILL;
import static io.bloomguard.actuate.BloomMetricNames.FPP;
import static io.bloomguard.actuate.BloomMetricNames.GENERATIONS;
import static io.bloomguard.actuate.BloomMetricNames.JOURNAL;
import static io.bloomguard.actuate.BloomMetricNames.JOURNAL_LIMIT;
import static io.bloomguard.actuate.BloomMetricNames.REBUILD_LAST_SUCCESS;
import static io.bloomguard.actuate.BloomMetricNames.REBUILD_PROGRESS;
import static io.bloomguard.actuate.BloomMetricNames.REPLICA_LAG;
import static io.bloomguard.actuate.BloomMetricNames.REQUESTS;
import static io.bloomguard.actuate.BloomMetricNames.ROTATES;
import static io.bloomguard.actuate.BloomMetricNames.SIZE;
import static io.bloomguard.actuate.BloomMetricNames.STATE;
import static io.bloomguard.actuate.BloomMetricNames.SUBJECTS;
import static io.bloomguard.actuate.BloomMetricNames.SUBJECT_FILL;
import static io.bloomguard.actuate.BloomMetricNames.TAG_ENTRY;
import static io.bloomguard.actuate.BloomMetricNames.TAG_FILTER;
import static io.bloomguard.actuate.BloomMetricNames.TAG_KIND;
import static io.bloomguard.actuate.BloomMetricNames.TAG_OUTCOME;
import static io.bloomguard.actuate.BloomMetricNames.TAG_RESULT;
import static io.bloomguard.actuate.BloomMetricNames.TAG_STATE;
import static io.bloomguard.actuate.BloomMetricNames.VERIFIED;

import io.bloomguard.generation.Change;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The counters and gauges of one filter, and where each value comes from.
 *
 * @param registry the registry of the meters
 * @param filter held by the caller, because the registry holds what it measures weakly
 */
record FilterMeters(MeterRegistry registry, FilterReading filter) {

  private static final Tags NONE = Tags.empty();

  private static final Function<FilterReading, @Nullable FilterFeed> FEED =
      reading -> reading.filter().feed();

  /** Registers those that every filter has, and those of what this one has; reads no status. */
  void bind() {
    for (EntryPoint entry : EntryPoint.values()) {
      for (Outcome outcome : Outcome.values()) {
        Tags way = Tags.of(TAG_ENTRY, entry.tag(), TAG_OUTCOME, outcome.tag());
        counter(REQUESTS, way, f -> f.guarded().counters().count(entry, outcome));
      }
    }
    counter(VERIFIED, result("confirmed"), f -> f.guarded().verification().confirmed());
    counter(VERIFIED, result("late"), f -> f.guarded().verification().late());
    counter(VERIFIED, result("spelling"), f -> f.guarded().verification().spellings());
    counter(VERIFIED, result("wrong"), f -> f.guarded().verification().wrong());
    gauge(FILL, NONE, f -> f.status().fillRatio());
    gauge(FPP, kind("configured"), f -> f.filter().settings().falsePositiveProbability());
    gauge(FPP, kind("expected"), f -> f.status().expectedFalsePositiveProbability());
    gauge(ELEMENTS, NONE, f -> f.status().estimatedElements());
    gauge(CAPACITY, NONE, f -> f.status().shape().expectedInsertions());
    gauge(SIZE, NONE, f -> f.sizeBytes());
    gauge(JOURNAL, kind("heap"), f -> f.filter().store().journalSize().heap());
    gauge(JOURNAL, kind("redis"), f -> f.filter().store().journalSize().shared());
    gauge(JOURNAL_LIMIT, NONE, f -> f.filter().store().journalSize().bound());
    gauge(BLACKLIST, NONE, f -> f.isBlacklist() ? 1 : 0);
    gauge(ROTATES, NONE, f -> f.filter().store().rotates() ? 1 : 0);
    for (FilterState state : FilterState.values()) {
      gauge(STATE, Tags.of(TAG_STATE, state.tag()), f -> f.status().state() == state ? 1 : 0);
    }
    gauge(REBUILD_PROGRESS, NONE, FilterReading::progress);
    gauge(REBUILD_LAST_SUCCESS, NONE, FilterReading::lastSuccess);
    if (filter.copied() != null) {
      gauge(REPLICA_LAG, NONE, of(FilterReading::copied, ReplicatedStore::replicaLagSeconds));
      timer(COPIES_WAIT, f -> f.copyWaits().adds(), f -> f.copyWaits().nanos());
      counter(COPIES_EXPIRED, NONE, f -> f.copyWaits().ranOut());
      gauge(COPIES, NONE, f -> f.copyWaits().copies());
    }
    if (filter.filter().feed() != null) {
      gauge(CHANGES_LAG, NONE, of(FEED, FilterFeed::ageSeconds));
      gauge(CHANGES_RETAINED, NONE, of(FEED, FilterFeed::retainedBytes));
      for (Change.Kind kind : Change.Kind.values()) {
        Tags tag = kind(kind.name().toLowerCase(Locale.ROOT));
        counter(CHANGES_APPLIED, tag, of(FEED, feed -> feed.applied(kind)));
      }
      counter(CHANGES_FAILURES, NONE, of(FEED, FilterFeed::failures));
    }
    if (filter.subjects() != null) {
      gauge(SUBJECTS, kind("live"), of(FilterReading::subjects, SubjectTotals::count));
      gauge(SUBJECTS, kind("limit"), of(FilterReading::subjects, SubjectTotals::maxCount));
      gauge(SUBJECT_FILL, NONE, of(FilterReading::subjects, SubjectTotals::fillMax));
    }
    if (filter.filter().store().window() != null) {
      gauge(GENERATIONS, kind("live"), of(FilterReading::window, WindowStatus::live));
      gauge(GENERATIONS, kind("limit"), of(FilterReading::window, one -> one.window().count()));
    }
  }

  private static Tags kind(String kind) {
    return Tags.of(TAG_KIND, kind);
  }

  private static Tags result(String result) {
    return Tags.of(TAG_RESULT, result);
  }

  /** The value of a part that a filter may lack. */
  private static <T> ToDoubleFunction<FilterReading> of(
      Function<FilterReading, @Nullable T> part, ToDoubleFunction<T> value) {
    return filter -> {
      T read = part.apply(filter);
      return read == null ? Double.NaN : value.applyAsDouble(read);
    };
  }

  private void counter(String name, Tags tags, ToDoubleFunction<FilterReading> value) {
    FunctionCounter.builder(name, filter, value)
        .description(MeterTable.of(name).text())
        .tags(tags.and(TAG_FILTER, filter.filter().name()))
        .register(registry);
  }

  private void gauge(String name, Tags tags, ToDoubleFunction<FilterReading> value) {
    MeterTable.Row row = MeterTable.of(name);
    Gauge.builder(name, filter, value)
        .description(row.text())
        .baseUnit(row.unit())
        .tags(tags.and(TAG_FILTER, filter.filter().name()))
        .register(registry);
  }

  private void timer(
      String name, ToLongFunction<FilterReading> count, ToDoubleFunction<FilterReading> nanos) {
    FunctionTimer.builder(name, filter, count, nanos, TimeUnit.NANOSECONDS)
        .description(MeterTable.of(name).text())
        .tag(TAG_FILTER, filter.filter().name())
        .register(registry);
  }
}
