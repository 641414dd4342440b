package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.RebuildRefusedException.Reason;
import io.bloomguard.guard.KeyTypes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The builds of one filter in this process: one at a time, and the store sees to it that one runs
 * among all who share it.
 */
final class Builds {

  private static final Logger log = LoggerFactory.getLogger(Builds.class);

  /** A request that no thread takes for so long is queued. */
  private static final Duration TAKEN_WITHIN = Duration.ofSeconds(2);

  /** Longer than any of the commands that a build begins with. */
  private static final Duration BEGUN_WITHIN = Duration.ofSeconds(15);

  private final FilterSettings settings;
  private final GenerationStore store;
  private final Executor executor;
  private final InstantSource clock;
  private final RebuildListener listener;
  private final ResizePolicy growth;
  private final Backoff backoff;
  private final KeyTypes keyTypes;
  private final SourceThreads threads;

  /** What waits for a thread; null for nothing. */
  private final AtomicReference<@Nullable BuildOrder> queued = new AtomicReference<>();

  /**
   * Whether a task of this filter stands in the executor's queue: one at most, whatever it finds.
   */
  private final AtomicBoolean enqueued = new AtomicBoolean();

  /** What is under way, from its order to its end; null for nothing. */
  private volatile @Nullable BuildOrder current;

  /** True from the order of a build until the build's report stands. */
  private final AtomicBoolean building = new AtomicBoolean();

  private volatile @Nullable RebuildRun run;
  private volatile @Nullable RebuildReport last;
  private volatile @Nullable RebuildReport lastSuccess;

  /**
   * None yet.
   *
   * @param backoff hears how each ended
   * @param keyTypes what the filter is asked with
   * @param threads read the source
   */
  Builds(
      FilterSettings settings,
      GenerationStore store,
      Executor executor,
      InstantSource clock,
      RebuildListener listener,
      ResizePolicy growth,
      Backoff backoff,
      KeyTypes keyTypes,
      SourceThreads threads) {
    this.settings = settings;
    this.store = store;
    this.executor = executor;
    this.clock = clock;
    this.listener = listener;
    this.growth = growth;
    this.backoff = backoff;
    this.keyTypes = keyTypes;
    this.threads = threads;
  }

  /** What is built. */
  GenerationStore store() {
    return store;
  }

  /** Whether one runs in this process, or is about to. */
  boolean underWay() {
    return building.get();
  }

  /** How far the one has come that runs in this process. */
  RebuildProgress progress() {
    RebuildRun running = run;
    return running == null ? RebuildProgress.NONE : running.progress();
  }

  /** The last one that ended in this process, null for none. */
  @Nullable RebuildReport last() {
    return last;
  }

  /** The last one that succeeded in this process, null for none. */
  @Nullable RebuildReport lastSuccess() {
    return lastSuccess;
  }

  /** What is known of the filter's builds, in this process and all that share its store. */
  RebuildStatus news() {
    RebuildStatus told = store.board().read();
    RebuildRun here = run;
    return new RebuildStatus(
        here == null ? told.running() : here.progress(),
        told.last() == null ? last : told.last(),
        told.lastSuccess() == null ? lastSuccess : told.lastSuccess());
  }

  /** The run that waits for a thread, null for none. */
  @Nullable String queued() {
    BuildOrder order = queued.get();
    return order == null ? null : order.run();
  }

  /**
   * Cancels the one that runs in this process, or waits for a thread; false where none does. It has
   * ended within seconds, whatever its source does, unless it is being published by now.
   */
  boolean cancel() {
    BuildOrder order = current;
    if (order == null) {
      return false;
    }
    order.cancel();
    RebuildRun running = run;
    if (running != null) {
      running.cancel();
    } else if (queued.compareAndSet(order, null)) {
      cancelled(order);
    }
    return true;
  }

  private void cancelled(BuildOrder order) {
    Instant now = clock.instant();
    last =
        new RebuildReport(
            order.run(), now, now, 0, RebuildOutcome.CANCELLED, order.trigger(), null);
    backoff.failed();
    over();
    order.begun().cancel(false);
    log.warn("Filter '{}': the build was cancelled before it began", settings.name());
  }

  private void over() {
    run = null;
    current = null;
    building.set(false);
  }

  /**
   * Builds in the background because somebody asks for it.
   *
   * @param force whether it is published however few keys it reads
   * @return the run
   * @throws RebuildRefusedException if one runs, or the last request is within the cooldown
   * @throws StoreUnavailableException if the store is out of reach
   */
  String request(RebuildTrigger trigger, KeySource source, boolean force) {
    try {
      if (building.get()) {
        throw new BuildRunningException(settings.name());
      }
      BuildOrder order = order(trigger, source, force);
      if (trigger == RebuildTrigger.REQUEST) {
        // For an answer at once; what counts is asked again by the thread that builds.
        requireOverOrRunning(store.cooldown());
      }
      launch(order);
      awaitBegin(order);
      return order.run();
    } catch (BuildRunningException e) {
      throw refused(Reason.RUNNING, "is being built already", Duration.ZERO, runningRun());
    }
  }

  /** The run of the build that is under way, in whichever process; null for none by now. */
  private @Nullable String runningRun() {
    BuildOrder order = current;
    return order == null ? store.board().read().running().run() : order.run();
  }

  /** Says what keeps a build from beginning, unless it waits for a thread for long. */
  private void awaitBegin(BuildOrder order) {
    try {
      if (order.isTaken(TAKEN_WITHIN)) {
        order.begun().get(BEGUN_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | CancellationException e) {
      log.debug("Filter '{}': the build is under way", settings.name(), e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException refusal) {
        throw refusal;
      }
      throw new IllegalStateException("The build could not begin", e.getCause());
    }
    order.onFailure(
        e -> log.warn("Filter '{}': the build did not begin: {}", settings.name(), e.toString()));
  }

  /**
   * An order to build, not given yet.
   *
   * @param force whether it is published however few keys it reads
   * @throws RebuildRefusedException if too many sources hang
   */
  BuildOrder order(RebuildTrigger trigger, KeySource keys, boolean force) {
    String refusal = threads.refusal();
    if (refusal != null) {
      throw refused(Reason.SOURCES_HANG, "is not built: " + refusal, Duration.ZERO, null);
    }
    return new BuildOrder(trigger, keys, force);
  }

  /**
   * Builds in the background, once a thread is free. What keeps it from beginning is told to the
   * order: {@link BuildRunningException}, {@link NotNeededException}, {@link
   * RebuildRefusedException} within the cooldown, {@link StoreUnavailableException}.
   *
   * @throws BuildRunningException if one runs here, or is queued
   */
  void launch(BuildOrder order) {
    if (!building.compareAndSet(false, true)) {
      throw new BuildRunningException(settings.name());
    }
    current = order;
    queued.set(order);
    if (!enqueued.compareAndSet(false, true)) {
      return; // the task of one that was cancelled takes it
    }
    try {
      executor.execute(this::work);
    } catch (RuntimeException e) {
      enqueued.set(false);
      queued.set(null);
      over();
      throw e;
    }
  }

  private void work() {
    enqueued.set(false);
    BuildOrder order = queued.get();
    if (order == null || !queued.compareAndSet(order, null)) {
      return;
    }
    order.take();
    RebuildRun next;
    try {
      next = begin(order);
    } catch (Throwable e) {
      order.begun().completeExceptionally(e);
      return;
    }
    order.begun().complete(null);
    perform(next, order.keys());
  }

  /**
   * Builds on this thread.
   *
   * @throws BuildRunningException if one runs, here or elsewhere
   * @throws NotNeededException if a generation serves by now
   * @throws StoreUnavailableException if the store is out of reach
   */
  RebuildReport runNow(BuildOrder order) {
    if (!building.compareAndSet(false, true)) {
      throw new BuildRunningException(settings.name());
    }
    current = order;
    return perform(begin(order), order.keys());
  }

  private RebuildRun begin(BuildOrder order) {
    try {
      RebuildTrigger trigger = order.trigger();
      if (trigger == RebuildTrigger.REQUEST) {
        // Before the build, which is dear to begin; what counts is asked again below.
        requireOverOrRunning(store.cooldown());
      }
      FilterShape shape = nextShape(store.status(), trigger == RebuildTrigger.FILL);
      GenerationStore.Build build =
          takesSettings(trigger)
              ? store.beginBuild(shape, order.run())
              : store.beginAsItIs(shape, order.run());
      SourceRules rules = order.force() ? SourceRules.NONE : settings.sourceRules();
      RebuildRun next =
          new RebuildRun(
              settings, store, build, clock, trigger, rules, keyTypes, threads, lastKeysRead());
      try {
        requireStillDue(trigger);
      } catch (Throwable e) {
        build.close();
        throw e;
      }
      run = next;
      if (order.isCancelled()) {
        next.cancel();
      }
      next.announce();
      return next;
    } catch (Throwable e) {
      over();
      throw e;
    }
  }

  /** Asked while no other process can begin a build. */
  private void requireStillDue(RebuildTrigger trigger) {
    if (trigger == RebuildTrigger.CHANGE && !store.isBuildDue()) {
      throw new NotNeededException();
    }
    if (isNeededOnlyIfNothingServes(trigger) && !isToBeBuilt()) {
      // What was in doubt a moment ago was out of reach, not lost; or another process was faster.
      throw new NotNeededException();
    }
    if (trigger == RebuildTrigger.REQUEST) {
      requireOver(store.startCooldown(settings.cooldown()));
    }
  }

  /** One that ends the change of another, or makes room, is not to begin a change of its own. */
  private static boolean takesSettings(RebuildTrigger trigger) {
    return trigger != RebuildTrigger.CHANGE && trigger != RebuildTrigger.FILL;
  }

  private static boolean isNeededOnlyIfNothingServes(RebuildTrigger trigger) {
    return trigger == RebuildTrigger.WARM_UP || trigger == RebuildTrigger.RECOVERY;
  }

  /** That one runs is the better answer to whoever asks within the cooldown. */
  private void requireOverOrRunning(Duration cooldown) {
    if (!cooldown.isZero() && store.board().read().running().running()) {
      throw new BuildRunningException(settings.name());
    }
    requireOver(cooldown);
  }

  private void requireOver(Duration cooldown) {
    if (!cooldown.isZero()) {
      RebuildReport report = news().last();
      throw refused(
          Reason.COOLDOWN,
          "was rebuilt on request less than " + settings.cooldown() + " ago",
          cooldown,
          report == null ? null : report.run());
    }
  }

  private RebuildReport perform(RebuildRun current, KeySource keys) {
    tell(() -> listener.onStart(current.id(), current.trigger()));
    long before = store.generation();
    RebuildReport report = current.execute(keys, listener);
    current.tell(report);
    last = report;
    if (report.outcome() == RebuildOutcome.SUCCEEDED) {
      lastSuccess = report;
      backoff.succeeded();
      if (report.trigger() == RebuildTrigger.REQUEST) {
        arm(before);
      }
    } else {
      backoff.failed();
    }
    over();
    tell(() -> listener.onEnd(report));
    return report;
  }

  /**
   * An operator has asked for what serves now: it may reject until it is wrong again, which it may
   * have been since it was published.
   *
   * @param before the generation that served before
   */
  private void arm(long before) {
    try {
      long now = store.generation();
      if (now == before) {
        store.enforcement().arm(); // this process has yet to notice the new one
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

  private void tell(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      log.warn("Filter '{}': a rebuild listener failed", settings.name(), e);
    }
  }

  /** The shape that the next build is to have. */
  FilterShape nextShape(FilterStatus status, boolean forFill) {
    return growth.next(status, forFill, keysOfLastSuccess());
  }

  /** What the last published build read: as the generation says, or else as its build reported. */
  private long lastKeysRead() {
    long kept = store.keysRead();
    return kept == 0 ? keysOfLastSuccess() : kept;
  }

  private long keysOfLastSuccess() {
    RebuildReport success = news().lastSuccess();
    return success == null ? 0 : success.keys();
  }

  /** A snapshot that is trusted serves, and is built anew all the same. */
  boolean isToBeBuilt() {
    FilterStatus status = store.status();
    boolean decides = status.state() == FilterState.READY || status.isSettling();
    return !decides || store.snapshotTime() != null;
  }

  private RebuildRefusedException refused(
      Reason reason, String what, Duration retryAfter, @Nullable String run) {
    String message = "Filter '" + settings.name() + "' " + what;
    return new RebuildRefusedException(
        reason, run == null ? message : message + " (run " + run + ")", retryAfter, run);
  }

  /** A generation serves by now. */
  static final class NotNeededException extends RuntimeException {

    private static final long serialVersionUID = 1L;
  }
}
