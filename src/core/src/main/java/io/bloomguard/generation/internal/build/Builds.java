package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.StoreUnavailableException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The builds of one filter in this process: one at a time. The store ensures that at most one runs
 * among all processes that share it.
 */
final class Builds {

  private static final Logger log = LoggerFactory.getLogger(Builds.class);

  private final String filter;
  private final KeySource source;
  private final BuildStart start;
  private final BuildHistory history;
  private final Backoff backoff;
  private final Executor executor;
  private final InstantSource clock;
  private final RebuildListener listener;

  /** The build that waits for a thread; null for none. */
  private final AtomicReference<@Nullable BuildOrder> queued = new AtomicReference<>();

  /**
   * Whether a task of this filter is in the executor's queue: one at most, whether or not it still
   * finds an order.
   */
  private final AtomicBoolean enqueued = new AtomicBoolean();

  /** The build under way, from its order to its end; null for none. */
  private volatile @Nullable BuildOrder current;

  /** True from the order of a build until its report is available. */
  private final AtomicBoolean building = new AtomicBoolean();

  private volatile @Nullable SourceBuild running;

  /**
   * No build is under way yet.
   *
   * @param start begins each build, and {@code history} remembers its end
   * @param backoff gets the end of each build
   * @param executor runs one build at a time, in the background
   */
  Builds(
      String filter,
      KeySource source,
      BuildStart start,
      BuildHistory history,
      Backoff backoff,
      Executor executor,
      InstantSource clock,
      RebuildListener listener) {
    this.filter = filter;
    this.source = source;
    this.start = start;
    this.history = history;
    this.backoff = backoff;
    this.executor = executor;
    this.clock = clock;
    this.listener = listener;
  }

  /** Whether a build runs in this process, or is about to. */
  boolean underWay() {
    return building.get();
  }

  /** The progress of the build that runs in this process. */
  RebuildProgress progress() {
    SourceBuild here = running;
    return here == null ? RebuildProgress.NONE : here.progress();
  }

  /** The status of the filter's builds, in this process and all processes that share its store. */
  RebuildStatus status() {
    return history.status(running);
  }

  /** The ended builds. */
  BuildHistory history() {
    return history;
  }

  /** The run that waits for a thread, null for none. */
  @Nullable String queued() {
    BuildOrder order = queued.get();
    return order == null ? null : order.run();
  }

  /**
   * Cancels the build that runs in this process, or waits for a thread; false if there is none. The
   * build ends within seconds, even if its source does not react, unless it is being published by
   * now.
   */
  boolean cancel() {
    BuildOrder order = current;
    if (order == null) {
      return false;
    }
    order.cancel();
    SourceBuild here = running;
    if (here != null) {
      here.cancel();
    } else if (queued.compareAndSet(order, null)) {
      cancelled(order);
    }
    return true;
  }

  private void cancelled(BuildOrder order) {
    Instant now = clock.instant();
    history.add(
        new RebuildReport(
            order.run(), now, now, 0, RebuildOutcome.CANCELLED, order.trigger(), null));
    backoff.failed();
    over();
    order.begun().cancel(false);
    log.warn("Filter '{}': the build was cancelled before it began", filter);
  }

  private void over() {
    running = null;
    current = null;
    building.set(false);
  }

  /**
   * Builds in the background on request.
   *
   * @param force whether the build is published even if it reads too few keys
   * @return the run
   * @throws RebuildRefusedException if a build runs, or the last request is within the cooldown
   * @throws StoreUnavailableException if the store is out of reach
   */
  String request(RebuildTrigger trigger, boolean force) {
    try {
      if (building.get()) {
        throw new BuildRunningException(filter);
      }
      BuildOrder order = start.order(trigger, force);
      start.requireNoCooldown(trigger);
      launch(order);
      if (!order.awaitBegin()) {
        order.onBegin(
            e -> {
              if (e != null) {
                log.warn("Filter '{}': the build did not begin: {}", filter, e.toString());
              }
            });
      }
      return order.run();
    } catch (BuildRunningException e) {
      BuildOrder here = current;
      throw RebuildRefusedException.running(
          filter, here == null ? start.runElsewhere() : here.run());
    }
  }

  /**
   * Builds in the background, once a thread is free.
   *
   * @param onBegin gets null at the begin, or the failure that prevents it: {@link
   *     BuildRunningException}, {@link BuildNotNeededException}, {@link StoreUnavailableException}
   * @throws BuildRunningException if a build runs here, or is queued
   * @throws RebuildRefusedException if too many sources hang
   */
  void launch(RebuildTrigger trigger, Consumer<@Nullable Throwable> onBegin) {
    BuildOrder order = start.order(trigger, false);
    order.onBegin(onBegin);
    launch(order);
  }

  private void launch(BuildOrder order) {
    if (!building.compareAndSet(false, true)) {
      throw new BuildRunningException(filter);
    }
    current = order;
    queued.set(order);
    if (!enqueued.compareAndSet(false, true)) {
      return; // the task of a cancelled order takes it
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
    SourceBuild next;
    try {
      next = begin(order);
    } catch (Throwable e) {
      order.begun().completeExceptionally(e);
      return;
    }
    order.begun().complete(null);
    perform(next);
  }

  /**
   * Builds on this thread.
   *
   * @throws BuildRunningException if a build runs, here or elsewhere
   * @throws BuildNotNeededException if a generation serves by now
   * @throws RebuildRefusedException if too many sources hang
   * @throws StoreUnavailableException if the store is out of reach
   */
  RebuildReport runNow(RebuildTrigger trigger) {
    BuildOrder order = start.order(trigger, false);
    if (!building.compareAndSet(false, true)) {
      throw new BuildRunningException(filter);
    }
    current = order;
    return perform(begin(order));
  }

  private SourceBuild begin(BuildOrder order) {
    try {
      SourceBuild next = start.begin(order);
      running = next;
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

  private RebuildReport perform(SourceBuild build) {
    tell(() -> listener.onStart(build.id(), build.trigger()));
    RebuildReport report = build.execute(source, listener);
    build.tell(report);
    history.add(report);
    if (report.outcome() == RebuildOutcome.SUCCEEDED) {
      backoff.succeeded();
      if (report.trigger() == RebuildTrigger.REQUEST) {
        build.arm();
      }
    } else {
      backoff.failed();
    }
    over();
    tell(() -> listener.onEnd(report));
    return report;
  }

  private void tell(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      log.warn("Filter '{}': a rebuild listener failed", filter, e);
    }
  }
}
