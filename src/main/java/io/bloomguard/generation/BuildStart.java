package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.guard.KeyTypes;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** The begin of a filter's builds: whether one may begin, in which shape and under which rules. */
final class BuildStart {

  private final FilterSettings settings;
  private final GenerationStore store;
  private final InstantSource clock;
  private final ResizePolicy resizing;
  private final KeyTypes keyTypes;
  private final SourceThreads threads;
  private final BuildHistory history;

  /**
   * @param keyTypes what the filter is asked with
   * @param threads read the source
   */
  BuildStart(
      FilterSettings settings,
      GenerationStore store,
      InstantSource clock,
      ResizePolicy resizing,
      KeyTypes keyTypes,
      SourceThreads threads,
      BuildHistory history) {
    this.settings = settings;
    this.store = store;
    this.clock = clock;
    this.resizing = resizing;
    this.keyTypes = keyTypes;
    this.threads = threads;
    this.history = history;
  }

  /**
   * An order to build, not given yet.
   *
   * @param force whether it is published however few keys it reads
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
   * Refuses a request within the cooldown, before a build, which is dear to begin. What counts is
   * asked again once no other process can begin one.
   *
   * @throws BuildRunningException if one runs, which is the better answer
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
   * Begins a build, which has read nothing.
   *
   * @throws BuildRunningException if one runs elsewhere
   * @throws BuildNotNeededException if a generation serves by now
   * @throws RebuildRefusedException if the cooldown is on
   * @throws StoreUnavailableException if the store is out of reach
   */
  SourceBuild begin(BuildOrder order) {
    RebuildTrigger trigger = order.trigger();
    requireNoCooldown(trigger);
    FilterShape shape = nextShape(store.status(), trigger == RebuildTrigger.FILL);
    GenerationStore.Build build =
        takesSettings(trigger)
            ? store.beginBuild(shape, order.run())
            : store.beginAsItIs(shape, order.run());
    SourceRules rules = order.force() ? SourceRules.NONE : settings.sourceRules();
    SourceBuild run =
        new SourceBuild(
            settings, store, build, clock, trigger, rules, keyTypes, threads, history.keysRead());
    try {
      requireStillDue(trigger);
    } catch (Throwable e) {
      build.close();
      throw e;
    }
    return run;
  }

  /** Asked while no other process can begin a build. */
  private void requireStillDue(RebuildTrigger trigger) {
    if (trigger == RebuildTrigger.CHANGE && !store.isBuildDue()) {
      throw new BuildNotNeededException();
    }
    if (isNeededOnlyIfNothingServes(trigger) && !isToBeBuilt()) {
      // The generation in doubt was out of reach, not lost; or another process was faster.
      throw new BuildNotNeededException();
    }
    if (trigger == RebuildTrigger.REQUEST) {
      Duration left = store.startCooldown(settings.cooldown());
      if (!left.isZero()) {
        throw cooldown(left, history.status(null));
      }
    }
  }

  /** One that ends the migration of another, or makes room, is not to begin one of its own. */
  private static boolean takesSettings(RebuildTrigger trigger) {
    return trigger != RebuildTrigger.CHANGE && trigger != RebuildTrigger.FILL;
  }

  private static boolean isNeededOnlyIfNothingServes(RebuildTrigger trigger) {
    return trigger == RebuildTrigger.WARM_UP || trigger == RebuildTrigger.RECOVERY;
  }

  private RebuildRefusedException cooldown(Duration left, RebuildStatus status) {
    RebuildReport last = status.last();
    return RebuildRefusedException.cooldown(
        settings.name(), settings.cooldown(), left, last == null ? null : last.run());
  }

  /** The run of the build that is under way in another process; null for none by now. */
  @Nullable String runElsewhere() {
    return store.rebuildStatus().read().running().run();
  }

  /** The shape that the next build is to have. */
  FilterShape nextShape(FilterStatus status, boolean forFill) {
    return resizing.next(status, forFill, history.keysReported());
  }

  /** A trusted snapshot serves, and a build replaces it all the same. */
  boolean isToBeBuilt() {
    FilterStatus status = store.status();
    boolean decides = status.state() == FilterState.READY || status.isSettling();
    return !decides || store.snapshotTime() != null;
  }
}
