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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
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

  private static final Tags NONE = Tags.empty();

  /** All figures, in the order of the endpoint's JSON. */
  static final List<Figure> ALL = all();

  private static List<Figure> all() {
    List<Figure> all = new ArrayList<>();
    Part<FilterReading> filter = new Part<>(all, "", each -> true, each -> each);
    Part<Verification> verified = filter.part("verified.", f -> f.guarded().verification());
    filter.shown("state", f -> f.status().state());
    filter.shown("warnings", f -> f.operated().warnings());
    filter.shown("reject", f -> f.isBlacklist() ? Reject.PRESENT.tag() : null);
    filter.shown("mode", f -> f.guarded().verification().mode().tag());
    verified.counter("confirmed", VERIFIED, result("confirmed"), Verification::confirmed);
    verified.counter("late", VERIFIED, result("late"), Verification::late);
    verified.counter("wrong", VERIFIED, result("wrong"), Verification::wrong);
    verified.counter("spelling", VERIFIED, result("spelling"), Verification::spellings);
    filter.shown("generation", f -> f.status().generation());
    filter.shown("backend", f -> f.store().backend());
    filter.shown("layout", f -> lowerCase(f.shape().layout()));
    filter.shown("blockWords", f -> f.shape().blockWords() == 0 ? null : f.shape().blockWords());
    filter.gauge("expectedInsertions", CAPACITY, NONE, f -> f.shape().expectedInsertions());
    filter.gauge("estimatedElements", ELEMENTS, NONE, f -> f.status().estimatedElements());
    filter.shown("bits", f -> f.shape().bits());
    filter.shown("hashes", f -> f.shape().hashes());
    filter.gauge("sizeBytes", SIZE, NONE, FilterReading::sizeBytes);
    filter.gauge("fillRatio", FILL, NONE, f -> f.status().fillRatio());
    filter.shown("designFillRatio", f -> f.shape().designFillRatio());
    filter
        .part("falsePositiveProbability.", f -> f)
        .gauge(
            "configured",
            FPP,
            kind("configured"),
            f -> f.filter().settings().falsePositiveProbability())
        .gauge(
            "expected", FPP, kind("expected"), f -> f.status().expectedFalsePositiveProbability());
    filter
        .part("lastRebuild.", f -> f.rebuilds().last())
        .shown("run", RebuildReport::run)
        .shown("started", RebuildReport::started)
        .shown("finished", RebuildReport::finished)
        .shown("keys", RebuildReport::keys)
        .shown("durationMs", report -> report.duration().toMillis())
        .shown("outcome", report -> lowerCase(report.outcome()))
        .shown("trigger", report -> lowerCase(report.trigger()))
        .shown("failure", RebuildReport::failure);
    Part<RebuildProgress> running = filter.part("rebuild.", FilterReading::progress);
    running.shown("running", RebuildProgress::running);
    filter.shown("rebuild.queued", f -> f.queued() == null ? null : true);
    filter.shown("rebuild.run", f -> f.progress().running() ? f.progress().run() : f.queued());
    running
        .shown("scanned", RebuildProgress::scanned)
        .shown("total", RebuildProgress::total)
        .shown("ratePerSecond", RebuildProgress::ratePerSecond)
        .shown("etaSeconds", RebuildProgress::etaSeconds);
    for (Outcome outcome : Outcome.values()) {
      filter.shown("outcomes." + outcome.tag(), f -> f.guarded().counters().count(outcome));
      for (EntryPoint entry : EntryPoint.values()) {
        Tags way = Tags.of(TAG_ENTRY, entry.tag(), TAG_OUTCOME, outcome.tag());
        filter.counter("", REQUESTS, way, f -> f.guarded().counters().count(entry, outcome));
      }
    }
    for (FilterState state : FilterState.values()) {
      Tags tag = Tags.of(TAG_STATE, state.tag());
      filter.gauge("", STATE, tag, f -> f.status().state() == state ? 1 : 0);
    }
    filter
        .counter("", FALSE_POSITIVES, kind("new"), f -> f.store().falsePositives(false))
        .counter("", FALSE_POSITIVES, kind("repeated"), f -> f.store().falsePositives(true))
        .gauge("", JOURNAL, kind("heap"), f -> f.store().journalSize().heap())
        .gauge("", JOURNAL, kind("redis"), f -> f.store().journalSize().shared())
        .gauge("", JOURNAL_LIMIT, NONE, f -> f.store().journalSize().bound())
        .gauge("", BLACKLIST, NONE, f -> f.isBlacklist() ? 1 : 0)
        .gauge("", ROTATES, NONE, f -> f.store().rotates() ? 1 : 0)
        .gauge("", REBUILD_PROGRESS, NONE, FilterReading::rebuilt)
        .gauge("", REBUILD_LAST_SUCCESS, NONE, FilterReading::lastSuccess);
    new Part<>(all, "", f -> f.copied() != null, FilterReading::copied)
        .gauge("", REPLICA_LAG, NONE, ReplicatedStore::replicaLagSeconds)
        .counter("", COPIES_EXPIRED, NONE, store -> store.copyWaits().ranOut())
        .gauge("", COPIES, NONE, store -> store.copyWaits().copies());
    Part<FilterFeed> feed =
        new Part<>(all, "changes.", f -> f.filter().feed() != null, f -> f.filter().feed())
            .gauge("", CHANGES_LAG, NONE, FilterFeed::ageSeconds)
            .shown("position", FilterFeed::position)
            .gauge("", CHANGES_RETAINED, NONE, FilterFeed::retainedBytes)
            .counter("", CHANGES_FAILURES, NONE, FilterFeed::failures);
    for (Change.Kind kind : Change.Kind.values()) {
      feed.counter("", CHANGES_APPLIED, kind(lowerCase(kind)), from -> from.applied(kind));
    }
    new Part<>(all, "subjects.", FilterReading::isBySubject, FilterReading::subjects)
        .gauge("count", SUBJECTS, kind("live"), SubjectTotals::count)
        .shown("bytes", SubjectTotals::bytes)
        .gauge("maxCount", SUBJECTS, kind("limit"), SubjectTotals::maxCount)
        .shown("maxBytes", SubjectTotals::maxBytes)
        .shown("elements", SubjectTotals::elements)
        .shown("fill.p50", SubjectTotals::fillMedian)
        .gauge("fill.max", SUBJECT_FILL, NONE, SubjectTotals::fillMax)
        .shown("fill.sampled", SubjectTotals::sampled);
    new Part<>(all, "window.", f -> f.store().window() != null, FilterReading::window)
        .shown("lengthMs", one -> one.window().length().toMillis())
        .gauge("count", GENERATIONS, kind("limit"), one -> one.window().count())
        .gauge("live", GENERATIONS, kind("live"), WindowStatus::live)
        .shown("elements", WindowStatus::elements)
        .shown("sizeBytes", WindowStatus::sizeBytes)
        .shown("early", WindowStatus::early);
    return List.copyOf(all);
  }

  /**
   * A part of a filter, whose figures are added to all.
   *
   * @param prefix of their paths
   * @param has whether a filter has the part; reads no status
   * @param part null where the filter has none now
   */
  private record Part<T>(
      List<Figure> all,
      String prefix,
      Predicate<FilterReading> has,
      Function<FilterReading, @Nullable T> part) {

    /** A part that every filter has. */
    <P> Part<P> part(String name, Function<FilterReading, @Nullable P> of) {
      return new Part<>(all, name, has, of);
    }

    Part<T> shown(String name, Function<T, @Nullable Object> value) {
      return add(name, "", false, NONE, value);
    }

    Part<T> gauge(String name, String meter, Tags tags, Function<T, @Nullable Object> value) {
      return add(name, meter, false, tags, value);
    }

    Part<T> counter(String name, String meter, Tags tags, Function<T, @Nullable Object> value) {
      return add(name, meter, true, tags, value);
    }

    private Part<T> add(
        String name, String meter, boolean counts, Tags tags, Function<T, @Nullable Object> value) {
      Function<FilterReading, @Nullable Object> read =
          filter -> {
            T of = part.apply(filter);
            return of == null ? null : value.apply(of);
          };
      all.add(new Figure(name.isEmpty() ? "" : prefix + name, meter, counts, tags, has, read));
      return this;
    }
  }

  private static Tags kind(String kind) {
    return Tags.of(TAG_KIND, kind);
  }

  private static Tags result(String result) {
    return Tags.of(TAG_RESULT, result);
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
