package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.RebuildRefusedException.Reason;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One configured filter with its store, its source and its rebuilds.
 *
 * <p>One build at a time runs in this process; the store sees to it that one runs among all who
 * share it.
 */
public final class ManagedFilter {

  private static final Logger log = LoggerFactory.getLogger(ManagedFilter.class);

  /** How long a blocking warm-up waits for the build of another process. */
  private static final Duration WAIT_FOR_OTHERS = Duration.ofMinutes(10);

  private static final Duration POLL = Duration.ofMillis(500);

  private final FilterSettings settings;
  private final GenerationStore store;
  private final @Nullable KeySource source;
  private final Executor executor;
  private final InstantSource clock;
  private final RebuildListener listener;
  private final Pause pause;
  private final Growth growth;
  private final Backoff backoff;
  private final @Nullable RecentKeys recent;

  /** True from before the store is asked for a build until the build's report stands. */
  private final AtomicBoolean building = new AtomicBoolean();

  private volatile @Nullable RebuildRun run;
  private volatile @Nullable RebuildReport lastRebuild;
  private volatile @Nullable RebuildReport lastSuccess;
  // Why the store was out of reach, which is said once; null once it is not.
  private volatile @Nullable String unavailable;

  private volatile boolean emptyIsDue;
  // The generation of which it was said that there is no larger shape; used by maintain only.
  private long outgrownGeneration;

  /**
   * A filter that does nothing until {@link #start}.
   *
   * @param source all keys that exist, null for a filter that holds only what is added
   * @param executor runs one build at a time, in the background
   * @param clock for reports, progress and backoff
   */
  public ManagedFilter(
      FilterSettings settings,
      GenerationStore store,
      @Nullable KeySource source,
      Executor executor,
      InstantSource clock,
      RebuildListener listener) {
    this(settings, store, source, executor, executor, clock, listener);
  }

  /**
   * A filter that does nothing until {@link #start}.
   *
   * @param source all keys that exist, null for a filter that holds only what is added
   * @param executor runs one build at a time, in the background
   * @param readers runs the readings of recent keys, which should not wait for builds
   * @param clock for reports, progress and backoff
   */
  public ManagedFilter(
      FilterSettings settings,
      GenerationStore store,
      @Nullable KeySource source,
      Executor executor,
      Executor readers,
      InstantSource clock,
      RebuildListener listener) {
    this(
        settings,
        store,
        source,
        executor,
        readers,
        clock,
        listener,
        d -> Thread.sleep(d.toMillis()));
  }

  ManagedFilter(
      FilterSettings settings,
      GenerationStore store,
      @Nullable KeySource source,
      Executor executor,
      InstantSource clock,
      RebuildListener listener,
      Pause pause) {
    this(settings, store, source, executor, executor, clock, listener, pause);
  }

  private ManagedFilter(
      FilterSettings settings,
      GenerationStore store,
      @Nullable KeySource source,
      Executor executor,
      Executor readers,
      InstantSource clock,
      RebuildListener listener,
      Pause pause) {
    this.settings = settings;
    this.store = store;
    this.source = source;
    this.executor = executor;
    this.clock = clock;
    this.listener = listener;
    this.pause = pause;
    this.growth = new Growth(settings);
    store.refillAfterLoss(source != null, this::addRecent);
    this.backoff = new Backoff(clock);
    this.recent = source == null ? null : new RecentKeys(settings, store, source, readers, clock);
  }

  /** The filter's name. */
  public String name() {
    return settings.name();
  }

  /** What is configured. */
  public FilterSettings settings() {
    return settings;
  }

  /** Where the bits live. */
  public GenerationStore store() {
    return store;
  }

  /** The filter as it stands, {@code WARMING} and {@code FAILED} included. */
  public FilterStatus status() {
    FilterStatus status = store.status();
    if (status.state() != FilterState.EMPTY) {
      return status;
    }
    if (building.get()) {
      return status.in(FilterState.WARMING);
    }
    RebuildReport last = rebuilds().last();
    return last != null && last.outcome() == RebuildOutcome.FAILED
        ? status.in(FilterState.FAILED)
        : status;
  }

  /** What is known of the builds of this filter, in this process and all that share its store. */
  public RebuildNews rebuilds() {
    RebuildNews told = store.board().read();
    RebuildRun here = run;
    return new RebuildNews(
        here == null ? told.running() : here.progress(),
        told.last() == null ? lastRebuild : told.last(),
        told.lastSuccess() == null ? lastSuccess : told.lastSuccess());
  }

  /** How far the build has come that runs in this process. */
  public RebuildProgress progress() {
    RebuildRun running = run;
    return running == null ? RebuildProgress.NONE : running.progress();
  }

  /** The last build that ended in this process. */
  public Optional<RebuildReport> lastRebuild() {
    return Optional.ofNullable(lastRebuild);
  }

  /** The last build that succeeded in this process. */
  public Optional<RebuildReport> lastSuccess() {
    return Optional.ofNullable(lastSuccess);
  }

  /**
   * Gives the filter its first generation, as its warm-up mode says, unless the store serves one
   * already that was built. Without a source that is an empty one. Called once.
   *
   * @throws IllegalStateException if the mode is {@code BLOCKING} and nothing serves at its end
   */
  public void start() {
    if (source == null) {
      emptyIsDue = true;
      serveEmpty();
    } else if (settings.warmUp() == WarmUpMode.BLOCKING && !isReady()) {
      warmUpNow(source);
    } else if (settings.warmUp() != WarmUpMode.NONE && isToBeBuilt()) {
      buildByItself(RebuildTrigger.WARM_UP, source);
    }
  }

  /**
   * Starts a rebuild in the background and returns its run identifier.
   *
   * @throws RebuildRefusedException if one runs, there is no source, or an operator's last request
   *     is within the cooldown
   * @throws StoreUnavailableException if the store is out of reach
   */
  public String requestRebuild(RebuildTrigger trigger) {
    if (source == null) {
      throw refused(Reason.NO_SOURCE, "has no source to rebuild from", Duration.ZERO);
    }
    return request(trigger, source, null);
  }

  /**
   * As {@link #requestRebuild(RebuildTrigger)}, but once: whoever repeats the request within {@link
   * RebuildBoard#MEMORY}, at whichever process that shares the store, gets the same run.
   *
   * @param request what names the request, chosen by whoever sends it
   */
  public String requestRebuildOnce(String request) {
    if (source == null) {
      throw refused(Reason.NO_SOURCE, "has no source to rebuild from", Duration.ZERO);
    }
    String run = store.board().runOf(request);
    if (run != null) {
      return run;
    }
    try {
      return request(RebuildTrigger.REQUEST, source, request);
    } catch (RebuildRefusedException e) {
      // It may have come twice at the same time.
      String other = store.board().runOf(request);
      if (other != null) {
        return other;
      }
      throw e;
    }
  }

  private String request(RebuildTrigger trigger, KeySource keys, @Nullable String request) {
    try {
      return launch(trigger, keys, request);
    } catch (BuildRunningException e) {
      throw refused(Reason.RUNNING, "is being built already", Duration.ZERO);
    }
  }

  /** Cancels the rebuild that runs in this process; false where none does. */
  public boolean cancelRebuild() {
    RebuildRun running = run;
    if (running == null) {
      return false;
    }
    running.cancel();
    return true;
  }

  /** Whether the source tells of rows that changed since a moment. */
  public boolean knowsRecent() {
    return source != null && source.knowsRecent();
  }

  /**
   * Cancels the rebuild that runs in this process or in any other that shares the store; false
   * where none does.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  public boolean cancelRebuildAnywhere() {
    return cancelRebuild() || store.board().cancel();
  }

  /**
   * Adds the keys of all rows that changed since a moment, on this thread.
   *
   * @return how many were not in the serving generation; 0 if the source does not tell
   * @throws KeySourceException if they could not all be read
   * @throws io.bloomguard.guard.AddFailedException if they could not all be added
   */
  public int addRecent(Instant since) {
    return recent == null ? 0 : recent.add(since);
  }

  /**
   * Does what is due by now: old generations are given up, keys of recent rows are added, a filter
   * that is too full or has lost what it served is rebuilt. Called every second or so, by one
   * thread at a time. Never throws.
   */
  public void maintain() {
    try {
      store.maintain();
    } catch (RuntimeException e) {
      log.debug("Filter '{}': the store could not be maintained", name(), e);
    }
    if (recent != null) {
      recent.readIfDue();
    }
    if (building.get() || !backoff.isOver()) {
      return;
    }
    if (source == null) {
      serveEmpty();
      return;
    }
    RebuildTrigger due = store.isBuildDue() ? RebuildTrigger.CHANGE : due(store.status());
    if (due != null) {
      buildByItself(due, source);
    }
  }

  private @Nullable RebuildTrigger due(FilterStatus status) {
    return switch (status.state()) {
      case EMPTY, DOUBTFUL, FAILED -> status.isSettling() ? null : recovery();
      case WARMING -> null;
      case READY -> isToBeBuilt() && recovery() != null ? recovery() : whenFull(status);
    };
  }

  private @Nullable RebuildTrigger recovery() {
    return settings.warmUp() == WarmUpMode.NONE ? null : RebuildTrigger.RECOVERY;
  }

  private @Nullable RebuildTrigger whenFull(FilterStatus status) {
    return status.fillRatio() > settings.atFill() && canGrow(status) ? RebuildTrigger.FILL : null;
  }

  private boolean canGrow(FilterStatus status) {
    if (nextShape(status, true).bits() > status.shape().bits()) {
      return true;
    }
    if (outgrownGeneration != status.generation()) {
      outgrownGeneration = status.generation();
      log.warn(
          "Filter '{}': fill ratio {} is past {}, but there is no larger shape",
          name(),
          status.fillRatio(),
          settings.atFill());
    }
    return false;
  }

  private void serveEmpty() {
    if (!emptyIsDue) {
      return;
    }
    try {
      store.serveEmpty(growth.configured());
      // Once only: to serve an empty generation again would deny what was added to the first.
      emptyIsDue = false;
      unavailable = null;
    } catch (RuntimeException e) {
      notStarted(e);
    }
  }

  private void buildByItself(RebuildTrigger trigger, KeySource keys) {
    try {
      launch(trigger, keys, null);
    } catch (BuildRunningException | NotNeededException e) {
      log.debug("Filter '{}': built by another process", name());
    } catch (RuntimeException e) {
      notStarted(e);
    }
  }

  private void notStarted(RuntimeException e) {
    if (e instanceof StoreUnavailableException) {
      backoff.unreachable();
      String why = String.valueOf(e.getMessage());
      if (!why.equals(unavailable)) {
        unavailable = why;
        log.warn("Filter '{}': no build could be started, and is tried again: {}", name(), why);
      }
      return;
    }
    backoff.failed();
    log.warn("Filter '{}': no build could be started: {}", name(), e.getClass().getName());
  }

  private void warmUpNow(KeySource keys) {
    Instant deadline = clock.instant().plus(WAIT_FOR_OTHERS);
    while (!isReady()) {
      try {
        RebuildReport report = perform(begin(RebuildTrigger.WARM_UP, null), keys);
        if (report.outcome() != RebuildOutcome.SUCCEEDED) {
          throw new IllegalStateException(
              "Filter '" + name() + "' could not be warmed up: " + report.failure());
        }
      } catch (BuildRunningException e) {
        waitForOthers(deadline);
      } catch (StoreUnavailableException e) {
        throw new IllegalStateException(
            "Filter '" + name() + "' could not be warmed up: " + e.getMessage(), e);
      } catch (NotNeededException e) {
        if (!isReady()) {
          waitForOthers(deadline);
        }
      }
    }
  }

  private void waitForOthers(Instant deadline) {
    if (clock.instant().isAfter(deadline)) {
      throw new IllegalStateException(
          "Filter '" + name() + "' was not warmed up by another process in " + WAIT_FOR_OTHERS);
    }
    try {
      pause.pause(POLL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while filter '" + name() + "' warmed up", e);
    }
  }

  private String launch(RebuildTrigger trigger, KeySource keys, @Nullable String request) {
    RebuildRun next = begin(trigger, request);
    try {
      executor.execute(() -> perform(next, keys));
      return next.id();
    } catch (RuntimeException e) {
      run = null;
      building.set(false);
      next.abandon();
      throw e;
    }
  }

  private RebuildRun begin(RebuildTrigger trigger, @Nullable String request) {
    if (!building.compareAndSet(false, true)) {
      throw new BuildRunningException(name());
    }
    try {
      if (trigger == RebuildTrigger.REQUEST) {
        // Before the build, which is dear to begin; what counts is asked again below.
        requireOverOrRunning(store.cooldown());
      }
      GenerationStore.Build build =
          store.beginBuild(nextShape(store.status(), trigger == RebuildTrigger.FILL));
      RebuildRun next = new RebuildRun(settings, store, build, clock, trigger);
      try {
        requireStillDue(trigger);
        if (request != null) {
          store.board().remember(request, next.id());
        }
      } catch (Throwable e) {
        build.close();
        throw e;
      }
      unavailable = null;
      run = next;
      next.announce();
      return next;
    } catch (Throwable e) {
      building.set(false);
      throw e;
    }
  }

  /** Asked while no other process can begin a build. */
  private void requireStillDue(RebuildTrigger trigger) {
    if (isNeededOnlyIfNothingServes(trigger) && !isToBeBuilt()) {
      // What was in doubt a moment ago was out of reach, not lost; or another process was faster.
      throw new NotNeededException();
    }
    if (trigger == RebuildTrigger.REQUEST) {
      requireOver(store.startCooldown(settings.cooldown()));
    }
  }

  private static boolean isNeededOnlyIfNothingServes(RebuildTrigger trigger) {
    return trigger == RebuildTrigger.WARM_UP || trigger == RebuildTrigger.RECOVERY;
  }

  /** That one runs is the better answer to whoever asks within the cooldown. */
  private void requireOverOrRunning(Duration cooldown) {
    if (!cooldown.isZero() && store.board().read().running().running()) {
      throw new BuildRunningException(name());
    }
    requireOver(cooldown);
  }

  private void requireOver(Duration cooldown) {
    if (!cooldown.isZero()) {
      throw refused(
          Reason.COOLDOWN,
          "was rebuilt on request less than " + settings.cooldown() + " ago",
          cooldown);
    }
  }

  private RebuildReport perform(RebuildRun current, KeySource keys) {
    tell(() -> listener.onStart(current.id(), current.trigger()));
    RebuildReport report = current.execute(keys);
    current.tell(report);
    lastRebuild = report;
    if (report.outcome() == RebuildOutcome.SUCCEEDED) {
      lastSuccess = report;
      backoff.succeeded();
    } else {
      backoff.failed();
    }
    run = null;
    building.set(false);
    tell(() -> listener.onEnd(report));
    return report;
  }

  private void tell(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      log.warn("Filter '{}': a rebuild listener failed", name(), e);
    }
  }

  private FilterShape nextShape(FilterStatus status, boolean forFill) {
    RebuildReport last = rebuilds().lastSuccess();
    return growth.next(status, forFill, last == null ? 0 : last.keys());
  }

  private boolean isReady() {
    return store.status().state() == FilterState.READY;
  }

  /** A snapshot that is trusted serves, and is built anew all the same. */
  private boolean isToBeBuilt() {
    FilterStatus status = store.status();
    boolean decides = status.state() == FilterState.READY || status.isSettling();
    return !decides || store.snapshotTime() != null;
  }

  private RebuildRefusedException refused(Reason reason, String what, Duration retryAfter) {
    return new RebuildRefusedException(reason, "Filter '" + name() + "' " + what, retryAfter);
  }

  /** A generation serves by now. */
  private static final class NotNeededException extends RuntimeException {}

  /** A wait between two polls. */
  interface Pause {
    void pause(Duration duration) throws InterruptedException;
  }
}
