package io.bloomguard.generation.internal.build;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.generation.internal.source.ImageSource;
import io.bloomguard.generation.internal.source.SourceThreads;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.image.ImageSet;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** The begin of a filter's builds: the decision whether one may begin, its shape and its rules. */
final class BuildStart {

  private final FilterSettings settings;
  private final GenerationStore store;
  private final InstantSource clock;
  private final ResizePolicy resizing;
  private final KeyTypes keyTypes;
  private final SourceThreads threads;
  private final BuildHistory history;
  private final @Nullable FilterFeed feed;
  private final @Nullable ImageSource images;

  /**
   * @param keyTypes the types of the keys that callers ask the filter for
   * @param threads the threads that read the source
   * @param feed the feed of changes, null for none
   * @param images the source if it yields image sets, else null
   */
  BuildStart(
      FilterSettings settings,
      GenerationStore store,
      InstantSource clock,
      ResizePolicy resizing,
      KeyTypes keyTypes,
      SourceThreads threads,
      BuildHistory history,
      @Nullable FilterFeed feed,
      @Nullable ImageSource images) {
    this.images = images;
    this.settings = settings;
    this.store = store;
    this.clock = clock;
    this.resizing = resizing;
    this.keyTypes = keyTypes;
    this.threads = threads;
    this.history = history;
    this.feed = feed;
  }

  /**
   * An order to build, which is not given yet.
   *
   * @param force whether the build is published even if it reads too few keys
   * @throws RebuildRefusedException if too many sources hang
   */
  BuildOrder order(RebuildTrigger trigger, boolean force) {
    String refusal = threads.refusal();
    if (refusal != null) {
      throw RebuildRefusedException.sourcesHang(settings.name(), refusal);
    }
    return new BuildOrder(trigger, force);
  }

  /**
   * Refuses a request within the cooldown, before a build begins, which is expensive. The decisive
   * check follows when no other process can begin a build.
   *
   * @throws BuildRunningException if a build runs, which is the better answer
   * @throws RebuildRefusedException if the cooldown is on
   * @throws StoreUnavailableException if the store is out of reach
   */
  void requireNoCooldown(RebuildTrigger trigger) {
    if (trigger != RebuildTrigger.REQUEST) {
      return;
    }
    Duration left = store.cooldown();
    if (left.isZero()) {
      return;
    }
    RebuildStatus status = history.status(null);
    if (status.running().running()) {
      throw new BuildRunningException(settings.name());
    }
    throw cooldown(left, status);
  }

  /**
   * Begins a build, which has read no key yet.
   *
   * @throws BuildRunningException if a build runs elsewhere
   * @throws BuildNotNeededException if a generation serves by now
   * @throws RebuildRefusedException if the cooldown is on
   * @throws StoreUnavailableException if the store is out of reach
   */
  SourceBuild begin(BuildOrder order) {
    RebuildTrigger trigger = order.trigger();
    requireNoCooldown(trigger);
    FilterShape shape = nextShape(store.status(), trigger == RebuildTrigger.FILL);
    ImageSet set = images == null ? null : images.named(threads);
    GenerationStore.Build build;
    if (set != null) {
      build = store.beginImages(set, shape, order.run());
    } else if (takesSettings(trigger)) {
      build = store.beginBuild(shape, order.run());
    } else {
      build = store.beginAsItIs(shape, order.run());
    }
    SourceRules rules = order.force() ? settings.sourceRules().forced() : settings.sourceRules();
    SourceBuild run =
        new SourceBuild(
            settings,
            store,
            build,
            clock,
            trigger,
            rules,
            order.force(),
            images,
            set,
            keyTypes,
            threads,
            history.keysRead(),
            feed);
    try {
      requireStillDue(trigger);
    } catch (Throwable e) {
      build.close();
      throw e;
    }
    return run;
  }

  /** Checks the reason for the build while no other process can begin one. */
  private void requireStillDue(RebuildTrigger trigger) {
    if (trigger == RebuildTrigger.CHANGE && !store.isBuildDue()) {
      throw new BuildNotNeededException();
    }
    if (isNeededOnlyIfNothingServes(trigger) && !isToBeBuilt()) {
      // The generation in doubt was out of reach, not lost, or another process was faster.
      throw new BuildNotNeededException();
    }
    // The same set has the same false positives, too.
    boolean byItself = trigger == RebuildTrigger.SCHEDULE || trigger == RebuildTrigger.REPEATED;
    if (images != null && byItself && !isNewer()) {
      throw new BuildNotNeededException();
    }
    if (trigger == RebuildTrigger.REQUEST) {
      Duration left = store.startCooldown(settings.cooldown());
      if (!left.isZero()) {
        throw cooldown(left, history.status(null));
      }
    }
  }

  /**
   * Whether the build applies the settings of this process: one that ends the migration of another
   * process, or makes room or other false positives, must not begin a migration of its own.
   */
  private static boolean takesSettings(RebuildTrigger trigger) {
    return trigger != RebuildTrigger.CHANGE
        && trigger != RebuildTrigger.FILL
        && trigger != RebuildTrigger.REPEATED;
  }

  private static boolean isNeededOnlyIfNothingServes(RebuildTrigger trigger) {
    return trigger == RebuildTrigger.WARM_UP || trigger == RebuildTrigger.RECOVERY;
  }

  private RebuildRefusedException cooldown(Duration left, RebuildStatus status) {
    RebuildReport last = status.last();
    return RebuildRefusedException.cooldown(
        settings.name(), settings.cooldown(), left, last == null ? null : last.run());
  }

  /** The run of the build that is under way in another process; null if none runs by now. */
  @Nullable String runElsewhere() {
    return store.rebuildStatus().read().running().run();
  }

  /** The shape of the next build. */
  FilterShape nextShape(FilterStatus status, boolean forFill) {
    return resizing.next(status, forFill, history.keysReported());
  }

  /** Whether a build is needed: one replaces even a trusted snapshot that serves. */
  boolean isToBeBuilt() {
    return isToBeBuilt(store.status());
  }

  /** Whether there is an image set to publish in place of the serving one. */
  boolean isNewer() {
    return images != null && images.isNewer(store.imagesAsOf());
  }

  private boolean isDueForFeed() {
    // One of the set that is there, which lacks changes from before the feed began, is for nothing.
    return feed != null
        && feed.isBuildDue()
        && (images == null || images.mayFollow(feed::hasBegunBefore));
  }

  /** Whether a filter of a status that was read just now is to be built. */
  boolean isToBeBuilt(FilterStatus status) {
    boolean decides = status.state() == FilterState.READY || status.isSettling();
    return !decides || store.snapshotTime() != null || isDueForFeed();
  }
}
