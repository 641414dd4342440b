package io.bloomguard.actuate;

import static io.bloomguard.actuate.BloomMetricNames.BLACKLIST;
import static io.bloomguard.actuate.BloomMetricNames.CAPACITY;
import static io.bloomguard.actuate.BloomMetricNames.CHANGES_APPLIED;
import static io.bloomguard.actuate.BloomMetricNames.CHANGES_FAILURES;
import static io.bloomguard.actuate.BloomMetricNames.CHANGES_LAG;
import static io.bloomguard.actuate.BloomMetricNames.CHANGES_RETAINED;
import static io.bloomguard.actuate.BloomMetricNames.COPIES;
import static io.bloomguard.actuate.BloomMetricNames.COPIES_EXPIRED;
import static io.bloomguard.actuate.BloomMetricNames.ELEMENTS;
import static io.bloomguard.actuate.BloomMetricNames.FALSE_POSITIVES;
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
import static io.bloomguard.actuate.BloomMetricNames.TAG_KIND;
import static io.bloomguard.actuate.BloomMetricNames.TAG_OUTCOME;
import static io.bloomguard.actuate.BloomMetricNames.TAG_RESULT;
import static io.bloomguard.actuate.BloomMetricNames.TAG_STATE;
import static io.bloomguard.actuate.BloomMetricNames.VERIFIED;

import io.bloomguard.generation.Change;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.verify.Verification;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A figure of a filter: where the endpoint shows it, which meter measures it, and where its value
 * comes from.
 *
 * @param path its members in the endpoint's JSON, with dots; empty if the endpoint does not show it
 * @param meter the name of its meter; empty for none
 * @param counts whether that is a counter
 * @param tags those of the meter, but the filter's
 * @param has whether a filter has the meter; reads no status
 * @param value null where the filter has none now
 */
record Figure(
    String path,
    String meter,
    boolean counts,
    Tags tags,
    Predicate<FilterReading> has,
    Function<FilterReading, @Nullable Object> value) {

  /** All figures, in the order of the endpoint's JSON. */
  static final List<Figure> ALL = new Table().rows.build().toList();

  /** The rows of the table. */
  private static final class Table {

    private static final Tags NONE = Tags.empty();

    private final Stream.Builder<Figure> rows = Stream.builder();
    private Predicate<FilterReading> has = filter -> true;

    Table() {
      shown("state", f -> f.status().state());
      shown("warnings", FilterReading::warnings);
      shown("reject", f -> f.isBlacklist() ? Reject.PRESENT.tag() : null);
      shown("mode", f -> f.verification().mode().tag());
      verdict("confirmed", Verification::confirmed);
      verdict("late", Verification::late);
      verdict("wrong", Verification::wrong);
      verdict("spelling", Verification::spellings);
      shown("generation", f -> f.status().generation());
      shown("backend", f -> f.store().backend());
      shown("layout", f -> lowerCase(f.shape().layout()));
      shown("blockWords", f -> f.shape().blockWords() == 0 ? null : f.shape().blockWords());
      gauge("expectedInsertions", CAPACITY, NONE, f -> f.shape().expectedInsertions());
      gauge("estimatedElements", ELEMENTS, NONE, f -> f.status().estimatedElements());
      shown("bits", f -> f.shape().bits());
      shown("hashes", f -> f.shape().hashes());
      gauge("sizeBytes", SIZE, NONE, FilterReading::sizeBytes);
      gauge("fillRatio", FILL, NONE, f -> f.status().fillRatio());
      shown("designFillRatio", f -> f.shape().designFillRatio());
      probability("configured", f -> f.filter().settings().falsePositiveProbability());
      probability("expected", f -> f.status().expectedFalsePositiveProbability());
      last("run", RebuildReport::run);
      last("started", RebuildReport::started);
      last("finished", RebuildReport::finished);
      last("keys", RebuildReport::keys);
      last("durationMs", report -> report.duration().toMillis());
      last("outcome", report -> lowerCase(report.outcome()));
      last("trigger", report -> lowerCase(report.trigger()));
      last("failure", RebuildReport::failure);
      running("running", RebuildProgress::running);
      shown("rebuild.queued", f -> f.queued() == null ? null : true);
      shown("rebuild.run", f -> f.progress().running() ? f.progress().run() : f.queued());
      running("scanned", RebuildProgress::scanned);
      running("total", RebuildProgress::total);
      running("ratePerSecond", RebuildProgress::ratePerSecond);
      running("etaSeconds", RebuildProgress::etaSeconds);
      for (Outcome outcome : Outcome.values()) {
        shown("outcomes." + outcome.tag(), f -> f.guarded().counters().count(outcome));
        for (EntryPoint entry : EntryPoint.values()) {
          Tags way = Tags.of(TAG_ENTRY, entry.tag(), TAG_OUTCOME, outcome.tag());
          counter("", REQUESTS, way, f -> f.guarded().counters().count(entry, outcome));
        }
      }
      counter("", FALSE_POSITIVES, kind("new"), f -> f.store().falsePositives(false));
      counter("", FALSE_POSITIVES, kind("repeated"), f -> f.store().falsePositives(true));
      for (FilterState state : FilterState.values()) {
        Tags tag = Tags.of(TAG_STATE, state.tag());
        gauge("", STATE, tag, f -> f.status().state() == state ? 1 : 0);
      }
      gauge("", JOURNAL, kind("heap"), f -> f.store().journalSize().heap());
      gauge("", JOURNAL, kind("redis"), f -> f.store().journalSize().shared());
      gauge("", JOURNAL_LIMIT, NONE, f -> f.store().journalSize().bound());
      gauge("", BLACKLIST, NONE, f -> f.isBlacklist() ? 1 : 0);
      gauge("", ROTATES, NONE, f -> f.store().rotates() ? 1 : 0);
      gauge("", REBUILD_PROGRESS, NONE, FilterReading::rebuilt);
      gauge("", REBUILD_LAST_SUCCESS, NONE, FilterReading::lastSuccess);

      has = filter -> filter.copied() != null;
      gauge("", REPLICA_LAG, NONE, of(FilterReading::copied, ReplicatedStore::replicaLagSeconds));
      counter("", COPIES_EXPIRED, NONE, f -> f.copyWaits().ranOut());
      gauge("", COPIES, NONE, f -> f.copyWaits().copies());

      has = filter -> filter.feed() != null;
      gauge("", CHANGES_LAG, NONE, of(FilterReading::feed, FilterFeed::ageSeconds));
      shown("changes.position", of(FilterReading::feed, FilterFeed::position));
      gauge("", CHANGES_RETAINED, NONE, of(FilterReading::feed, FilterFeed::retainedBytes));
      counter("", CHANGES_FAILURES, NONE, of(FilterReading::feed, FilterFeed::failures));
      for (Change.Kind kind : Change.Kind.values()) {
        Tags tag = kind(lowerCase(kind));
        counter("", CHANGES_APPLIED, tag, of(FilterReading::feed, feed -> feed.applied(kind)));
      }

      has = FilterReading::isBySubject;
      subjects("count", SUBJECTS, kind("live"), SubjectTotals::count);
      subjects("bytes", "", NONE, SubjectTotals::bytes);
      subjects("maxCount", SUBJECTS, kind("limit"), SubjectTotals::maxCount);
      subjects("maxBytes", "", NONE, SubjectTotals::maxBytes);
      subjects("elements", "", NONE, SubjectTotals::elements);
      subjects("fill.p50", "", NONE, SubjectTotals::fillMedian);
      subjects("fill.max", SUBJECT_FILL, NONE, SubjectTotals::fillMax);
      subjects("fill.sampled", "", NONE, SubjectTotals::sampled);

      has = filter -> filter.store().window() != null;
      window("lengthMs", "", NONE, one -> one.window().length().toMillis());
      window("count", GENERATIONS, kind("limit"), one -> one.window().count());
      window("live", GENERATIONS, kind("live"), WindowStatus::live);
      window("elements", "", NONE, WindowStatus::elements);
      window("sizeBytes", "", NONE, WindowStatus::sizeBytes);
      window("early", "", NONE, WindowStatus::early);
    }

    private void shown(String path, Function<FilterReading, @Nullable Object> value) {
      gauge(path, "", NONE, value);
    }

    private void gauge(
        String path, String name, Tags tags, Function<FilterReading, @Nullable Object> value) {
      rows.add(new Figure(path, name, false, tags, has, value));
    }

    private void counter(
        String path, String name, Tags tags, Function<FilterReading, @Nullable Object> value) {
      rows.add(new Figure(path, name, true, tags, has, value));
    }

    private void verdict(String result, ToLongFunction<Verification> count) {
      Tags tag = Tags.of(TAG_RESULT, result);
      counter("verified." + result, VERIFIED, tag, f -> count.applyAsLong(f.verification()));
    }

    private void probability(String kind, Function<FilterReading, @Nullable Object> value) {
      gauge("falsePositiveProbability." + kind, FPP, kind(kind), value);
    }

    private void last(String name, Function<RebuildReport, @Nullable Object> value) {
      shown("lastRebuild." + name, of(f -> f.rebuilds().last(), value));
    }

    private void running(String name, Function<RebuildProgress, @Nullable Object> value) {
      shown("rebuild." + name, of(FilterReading::progress, value));
    }

    private void subjects(
        String name, String meter, Tags tags, Function<SubjectTotals, @Nullable Object> value) {
      gauge("subjects." + name, meter, tags, of(FilterReading::subjects, value));
    }

    private void window(
        String name, String meter, Tags tags, Function<WindowStatus, @Nullable Object> value) {
      gauge("window." + name, meter, tags, of(FilterReading::window, value));
    }

    /** The value of a part that a filter may lack. */
    private static <T> Function<FilterReading, @Nullable Object> of(
        Function<FilterReading, @Nullable T> part, Function<T, @Nullable Object> value) {
      return filter -> {
        T read = part.apply(filter);
        return read == null ? null : value.apply(read);
      };
    }

    private static Tags kind(String kind) {
      return Tags.of(TAG_KIND, kind);
    }

    private static String lowerCase(Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT);
    }
  }
}
