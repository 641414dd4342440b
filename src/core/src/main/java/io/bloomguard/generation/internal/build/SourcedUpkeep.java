package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.source.ImageSource;
import io.bloomguard.generation.internal.source.IncrementalScan;
import io.bloomguard.generation.internal.source.SourceQuestions;
import io.bloomguard.generation.internal.source.SourceThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The upkeep of a filter that is built from a source: its warm-up, the readings of recent keys, and
 * the builds for recovery, growth and the migrations of other processes.
 */
final class SourcedUpkeep implements Upkeep {

  private final FilterSettings settings;
  private final GenerationStore store;
  private final SourceQuestions questions;
  private final Executor readers;
  private final WarmUp warmUp;
  private final IncrementalScan recent;
  private final Builds builds;
  private final BuildStart start;
  private final BuildAttempts attempts;
  private final Outgrowth outgrowth;
  private final Repeats repeats;
  private final SourceThreads threads;
  private final @Nullable ImageSource images;

  SourcedUpkeep(
      FilterSettings settings,
      GenerationStore store,
      SourceQuestions questions,
      Executor readers,
      WarmUp warmUp,
      IncrementalScan recent,
      Builds builds,
      BuildStart start,
      BuildAttempts attempts,
      Outgrowth outgrowth,
      Repeats repeats,
      SourceThreads threads,
      @Nullable ImageSource images) {
    this.images = images;
    this.settings = settings;
    this.store = store;
    this.questions = questions;
    this.readers = readers;
    this.warmUp = warmUp;
    this.recent = recent;
    this.builds = builds;
    this.start = start;
    this.attempts = attempts;
    this.outgrowth = outgrowth;
    this.repeats = repeats;
    this.threads = threads;
  }

  @Override
  public void prepare() {
    if (settings.warmUp() != WarmUpMode.NONE) {
      store.prepare();
    }
  }

  @Override
  public void start() {
    if (store instanceof ReplicatedStore shared) {
      readers.execute(() -> compareSource(shared));
    }
    examineSnapshot();
    if (settings.warmUp() == WarmUpMode.BLOCKING && !warmUp.isReady()) {
      warmUp.await();
    } else if (settings.warmUp() != WarmUpMode.NONE && start.isToBeBuilt()) {
      build(RebuildTrigger.WARM_UP);
    }
  }

  /** Several processes share the store: they should read one database. */
  private void compareSource(ReplicatedStore shared) {
    try {
      String here = questions.identity();
      if (here != null) {
        shared.comesFrom(here);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Has a snapshot examined before a build, so that a trusted snapshot serves at once; a build
   * tries it again.
   */
  private void examineSnapshot() {
    try {
      questions.offerSample(store);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public @Nullable FilterStatus maintain() {
    recent.readIfDue();
    if (images != null) {
      images.pollIfDue(readers, threads);
    }
    if (builds.underWay() || !attempts.isNextDue()) {
      return null;
    }
    FilterStatus status = store.status();
    outgrowth.warnOf(status);
    RebuildTrigger due = store.isBuildDue() && !isHopeless() ? RebuildTrigger.CHANGE : due(status);
    if (due != null) {
      build(due);
    } else if (status.state() == FilterState.READY) {
      // Another process may have built it.
      attempts.ended(null);
    }
    return status;
  }

  private @Nullable RebuildTrigger due(FilterStatus status) {
    return switch (status.state()) {
      case EMPTY, DOUBTFUL, FAILED -> status.isSettling() ? null : recovery();
      case WARMING, DISARMED -> null;
      case READY -> start.isToBeBuilt(status) && recovery() != null ? recovery() : renewal(status);
    };
  }

  private @Nullable RebuildTrigger recovery() {
    return settings.warmUp() == WarmUpMode.NONE || isHopeless() ? null : RebuildTrigger.RECOVERY;
  }

  /** Whether a build would only fail again, until there is another image set. */
  private boolean isHopeless() {
    return images != null && images.isRefused();
  }

  private @Nullable RebuildTrigger renewal(FilterStatus status) {
    if (images != null) {
      // A filter of image sets is as large as they are.
      return start.isNewer() ? RebuildTrigger.SCHEDULE : null;
    }
    if (outgrowth.canGrow(status, builds.history())) {
      return RebuildTrigger.FILL;
    }
    return repeats.areTooMany(status) ? RebuildTrigger.REPEATED : null;
  }

  private void build(RebuildTrigger trigger) {
    try {
      builds.launch(trigger, attempts::ended);
    } catch (RuntimeException e) {
      attempts.failed(e);
    }
  }

  @Override
  public List<String> warnings() {
    String refusal = threads.refusal();
    List<String> warnings = new ArrayList<>();
    if (refusal != null) {
      warnings.add("No source is read: " + refusal);
    }
    if (images != null) {
      warnings.addAll(images.warnings(store.imagesAsOf()));
    }
    return warnings;
  }
}
