package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.generation.internal.AddsSince;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.ImageRefusedException;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.generation.internal.source.ImageSource;
import io.bloomguard.generation.internal.source.SourceQuestions;
import io.bloomguard.generation.internal.source.SourceReading;
import io.bloomguard.generation.internal.source.SourceThreads;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.image.ImageSet;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A build that reads a source to its end into the next generation and publishes it. */
final class SourceBuild implements RunningBuild {

  private static final Logger log = LoggerFactory.getLogger(SourceBuild.class);
  private static final Duration LOG_EVERY = Duration.ofSeconds(10);
  private static final String OURS = "io.bloomguard.";

  private final FilterSettings settings;
  private final GenerationStore store;
  private final SourceThreads threads;
  private final GenerationStore.Build build;
  private final InstantSource clock;
  private final RebuildTrigger trigger;
  private final SourceRules rules;
  private final boolean forced;
  private final @Nullable ImageSource images;
  private final @Nullable ImageSet begun;
  private final long keysBefore;
  private final @Nullable FilterFeed feed;
  private final String id;
  private final Instant started;
  private final SourceReading source;
  private final BuildSink sink;
  private volatile @Nullable Long total;
  private Instant logged;
  private long generationBefore;
  private volatile boolean reading;
  private boolean empty;
  private long followed;

  /**
   * A build that has begun and read no key yet.
   *
   * @param rules the conditions on the keys read under which it is published
   * @param forced whether an operator takes the responsibility for what it reads
   * @param images the source if it yields image sets, else null
   * @param begun the image set that it was begun for, null for none
   * @param keyTypes the types of the keys that callers ask the filter for
   * @param threads the threads that read the source
   * @param keysBefore the number of keys that the last published build read, 0 if that is not known
   * @param feed the feed of changes, null for none
   */
  SourceBuild(
      FilterSettings settings,
      GenerationStore store,
      GenerationStore.Build build,
      InstantSource clock,
      RebuildTrigger trigger,
      SourceRules rules,
      boolean forced,
      @Nullable ImageSource images,
      @Nullable ImageSet begun,
      KeyTypes keyTypes,
      SourceThreads threads,
      long keysBefore,
      @Nullable FilterFeed feed) {
    this.settings = settings;
    this.store = store;
    this.threads = threads;
    this.build = build;
    this.clock = clock;
    this.trigger = trigger;
    this.rules = rules;
    this.forced = forced;
    this.images = images;
    this.begun = begun;
    this.keysBefore = keysBefore;
    this.feed = feed;
    this.id = build.run();
    this.started = clock.instant();
    this.logged = started;
    this.source = new SourceReading(settings.name(), settings.sourceRules().stall(), threads);
    this.sink =
        new BuildSink(
            build,
            this::load,
            settings.keyRules(),
            (numbers, texts, count) -> keyTypes.yielded(settings.name(), numbers, texts, count),
            source,
            this::logNowAndThen);
  }

  String id() {
    return id;
  }

  RebuildTrigger trigger() {
    return trigger;
  }

  @Override
  public void cancel() {
    sink.cancel();
  }

  @Override
  public boolean cancelled() {
    return sink.cancelled();
  }

  @Override
  public RebuildProgress progress() {
    long keys = sink.scanned();
    double seconds = Duration.between(started, clock.instant()).toNanos() / 1e9;
    return RebuildProgress.of(id, keys, total, seconds > 0 ? keys / seconds : 0);
  }

  /** Announces the build to all processes that share the store. */
  void announce() {
    build.announce(this);
  }

  /** Reports the end of the build to all processes that share the store. */
  void tell(RebuildReport report) {
    build.ended(report);
  }

  /** Reads {@code source} to its end and publishes the generation, or gives it up. Never throws. */
  RebuildReport execute(KeySource keys, RebuildListener listener) {
    boolean published = false;
    generationBefore = store.generation();
    try (build) {
      if (images == null) {
        build.awaitSource();
      }
      // Before the source is read: later changes reach this generation as adds.
      follow(feed == null ? 0 : feed.noteBegin());
      SourceQuestions questions = new SourceQuestions(settings, keys, threads);
      build.comesFrom(questions.identity());
      questions.offerSample(store);
      source.read(
          () -> read(keys, listener), () -> sink.scanned() + sink.nulls(), sink::cancelled, null);
      sink.finish(rules);
      reading = false;
      long usable = sink.scanned() - sink.refused();
      requireEnough(usable);
      build.publish(usable);
      published = true;
      if (feed != null && followed > 0) {
        feed.built(followed);
      }
      return succeeded();
    } catch (Throwable e) {
      if (published) {
        log.warn("Filter '{}': the build could not be closed: {}", settings.name(), kind(e));
        return report(RebuildOutcome.SUCCEEDED, null);
      }
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
        sink.cancel();
      } else if (e instanceof CancellationException) {
        sink.cancel();
      }
      return sink.cancelled() ? stopped() : failed(e);
    }
  }

  private void follow(long begin) {
    followed = begin;
    build.follows(begin);
  }

  /**
   * Arms the filter after a rebuild that an operator requested: it rejects until a rejection is
   * wrong again, and stays disarmed if that has happened since the publishing. Never throws.
   */
  void arm() {
    try {
      long now = store.generation();
      if (now == generationBefore) {
        store.enforcement().arm(); // this process does not know the new one yet
      } else if (!store.enforcement().armFor(now)) {
        log.warn(
            "Filter '{}' was rebuilt and stays disarmed: generation {} has rejected a key wrongly"
                + " already",
            settings.name(),
            now);
      }
    } catch (RuntimeException e) {
      log.warn(
          "Filter '{}' was rebuilt, but could not be armed; if it is disarmed, arm it by hand: {}",
          settings.name(),
          e.getMessage());
    }
  }

  private void read(KeySource keys, RebuildListener listener) throws Exception {
    try (var unusedReading = listener.onReading(id)) {
      read(keys);
    }
  }

  private void read(KeySource keys) throws Exception {
    total = count(keys);
    reading = true;
    keys.forEach(sink);
  }

  private void load(ImageSet set, ImageSet.Files files) throws IOException {
    if (!set.equals(begun)) {
      throw new KeySourceException("The manifest named another image set a moment ago", null);
    }
    Instant served = store.imagesAsOf();
    if (!forced && served != null && set.asOf().isBefore(served)) {
      throw new ImageRefusedException(
          "The image set is as of " + set.asOf() + ", but one as of " + served + " was published");
    }
    String refusal = rules.refusal(set.keys() - set.unusable(), keysBefore);
    if (refusal != null) {
      throw new ImageRefusedException(refusal + "; a rebuild with force: true publishes its keys");
    }
    boolean complete = forced || images != null && images.isComplete();
    if (!complete && feed != null && !feed.hasBegunBefore(set.asOf().minus(AddsSince.SKEW))) {
      // The set and the feed may lack changes between them.
      follow(0);
    }
    String doubt = build.load(files, complete);
    if (doubt != null && images != null) {
      images.doubted(doubt);
    }
  }

  private void requireEnough(long read) {
    String refusal = rules.refusal(read, keysBefore);
    if (refusal != null) {
      empty = sink.scanned() == 0 && keysBefore == 0;
      throw new KeySourceException(
          refusal + ". It is not published; a rebuild with force: true publishes its keys", null);
    }
  }

  private @Nullable Long count(KeySource keys) {
    try {
      OptionalLong count = keys.count();
      return count.isPresent() ? Long.valueOf(count.getAsLong()) : null;
    } catch (Exception e) {
      log.debug("Filter '{}': the source cannot count its keys", settings.name(), e);
      return null;
    }
  }

  private void logNowAndThen() {
    Instant now = clock.instant();
    if (Duration.between(logged, now).compareTo(LOG_EVERY) < 0) {
      return;
    }
    logged = now;
    RebuildProgress progress = progress();
    Double eta = progress.etaSeconds();
    log.info(
        "Filter '{}': {} of {} keys, {} keys/s, {} left",
        settings.name(),
        progress.scanned(),
        progress.total() == null ? "an unknown number of" : progress.total(),
        Math.round(progress.ratePerSecond()),
        eta == null ? "unknown time" : Math.round(eta) + " s");
  }

  private RebuildReport succeeded() {
    RebuildReport report = report(RebuildOutcome.SUCCEEDED, null);
    if (sink.nulls() > 0) {
      log.warn("Filter '{}': the source yielded {} nulls", settings.name(), sink.nulls());
    }
    if (sink.refused() > 0) {
      log.warn(
          "Filter '{}': {}. Such keys are skipped, and requests for them are refused with 400",
          settings.name(),
          sink.refusal());
    }
    log.info(
        "Filter '{}': generation {} serves {} keys, built in {} ms ({})",
        settings.name(),
        store.status().generation(),
        report.keys(),
        report.duration().toMillis(),
        trigger);
    return report;
  }

  private RebuildReport stopped() {
    log.warn("Filter '{}': the build was cancelled at {} keys", settings.name(), sink.scanned());
    return report(RebuildOutcome.CANCELLED, null);
  }

  private RebuildReport failed(Throwable e) {
    if (empty) {
      log.info(
          "Filter '{}': its source is empty, and nothing serves: every key is UNKNOWN until there"
              + " are {} keys (warm-up.min-keys; 0 serves an empty filter)",
          settings.name(),
          rules.minKeys());
      return report(RebuildOutcome.FAILED, String.valueOf(e.getMessage()));
    }
    log.error(
        "Filter '{}': the build failed at {} keys, {}: {}",
        settings.name(),
        sink.scanned(),
        store.status().generation() == 0
            ? "and nothing serves"
            : "the earlier generation still serves",
        describe(e));
    return report(RebuildOutcome.FAILED, isOurs(e) ? String.valueOf(e.getMessage()) : kind(e));
  }

  /**
   * A failure for the log. Our own messages hold no key, and the source is responsible for its
   * messages; but a message of the store's client may quote a command, and with it keys.
   */
  private String describe(Throwable e) {
    boolean ofSource = reading && !sink.storeFailed();
    String text = ofSource || isOurs(e) ? kind(e) + ": " + e.getMessage() : kind(e);
    Throwable cause = e.getCause();
    return ofSource && cause != null ? text + "; caused by " + cause : text;
  }

  private static boolean isOurs(Throwable e) {
    return kind(e).startsWith(OURS);
  }

  private static String kind(Throwable e) {
    return e.getClass().getName();
  }

  /** The keys that were read and are not in the generation. */
  private long skipped(RebuildOutcome outcome) {
    return outcome == RebuildOutcome.SUCCEEDED ? sink.refused() : 0;
  }

  private RebuildReport report(RebuildOutcome outcome, @Nullable String failure) {
    return new RebuildReport(
        id, started, clock.instant(), sink.scanned() - skipped(outcome), outcome, trigger, failure);
  }
}
