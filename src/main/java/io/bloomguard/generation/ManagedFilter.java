package io.bloomguard.generation;

import io.bloomguard.guard.KeyTypes;
import io.bloomguard.guard.verify.Arrivals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One configured filter with its store, its source and its rebuilds.
 *
 * <p>It does by itself what is due: the first generation, a larger one, a new one for what was
 * lost.
 */
public final class ManagedFilter {

  private static final Logger log = LoggerFactory.getLogger(ManagedFilter.class);

  /** How long a blocking warm-up waits for the build of another process. */
  private static final Duration WAIT_FOR_OTHERS = Duration.ofMinutes(10);

  private static final Duration POLL = Duration.ofMillis(500);

  private static final String NO_SOURCE =
      "It has no source and nothing serves, so every key is UNKNOWN and nothing is rejected: set"
          + " bloomguard.filters.%1$s.source.jdbc, .file or .bean, or"
          + " bloomguard.filters.%1$s.source.added-only: true if it holds only what is added";

  private final FilterSettings settings;
  private final FilterStore store;
  private final @Nullable KeySource source;
  // Null where the store is never built, which is so only where there is no source.
  private final @Nullable Builds builds;
  private final SourceThreads threads;
  private final InstantSource clock;
  private final Pause pause;
  private final ResizePolicy growth;
  private final Backoff backoff;
  private final @Nullable IncrementalScan recent;

  // Why the store was out of reach, which is said once; null once it is not.
  private volatile @Nullable String unavailable;

  private volatile boolean emptyIsDue;
  // The generation of which it was said that there is no larger shape; used by maintain only.
  private long outgrownGeneration;
  // The generation of which it was said that it holds more than was expected; used by maintain
  // only.
  private long oversized;

  /**
   * A filter that does nothing until {@link #start}.
   *
   * @param source all keys that exist, null for a filter that holds only what is added
   * @param executor runs one build at a time, in the background
   * @param clock for reports, progress and backoff
   */
  public ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      Executor executor,
      InstantSource clock,
      RebuildListener listener) {
    this(settings, store, source, executor, executor, clock, listener);
  }

  /** The same with other threads for the readings of recent keys. */
  public ManagedFilter(
      FilterSettings settings,
      FilterStore store,
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
        new SourceThreads(),
        clock,
        listener,
        new KeyTypes());
  }

  /**
   * A filter that does nothing until {@link #start}.
   *
   * @param source all keys that exist, null for a filter that holds only what is added
   * @param executor runs one build at a time, in the background
   * @param readers runs the readings of recent keys, which should not wait for builds
   * @param threads read the source
   * @param clock for reports, progress and backoff
   * @param keyTypes what the filter is asked with
   */
  public ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      Executor executor,
      Executor readers,
      SourceThreads threads,
      InstantSource clock,
      RebuildListener listener,
      KeyTypes keyTypes) {
    this(
        settings,
        store,
        source,
        executor,
        readers,
        threads,
        clock,
        listener,
        keyTypes,
        d -> Thread.sleep(d.toMillis()));
  }

  ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      Executor executor,
      InstantSource clock,
      RebuildListener listener,
      Pause pause) {
    this(
        settings,
        store,
        source,
        executor,
        executor,
        new SourceThreads(),
        clock,
        listener,
        new KeyTypes(),
        pause);
  }

  private ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      Executor executor,
      Executor readers,
      SourceThreads threads,
      InstantSource clock,
      RebuildListener listener,
      KeyTypes keyTypes,
      Pause pause) {
    this.settings = settings;
    this.store = store;
    this.source = source;
    this.clock = clock;
    this.pause = pause;
    this.growth = new ResizePolicy(settings);
    this.backoff = new Backoff(clock);
    this.threads = threads;
    if (store instanceof GenerationStore built) {
      built.refillAfterLoss(source != null, this::addRecent);
      this.builds =
          new Builds(
              settings, built, executor, clock, listener, growth, backoff, keyTypes, threads);
      this.recent =
          source == null
              ? null
              : new IncrementalScan(settings, built, source, readers, threads, clock);
    } else if (source == null) {
      this.builds = null;
      this.recent = null;
    } else {
      throw new IllegalArgumentException(
          "Filter '" + settings.name() + "' has a source, but its store is never built from one");
    }
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
  public FilterStore store() {
    return store;
  }

  /** Whether its keys come from a source, or, by intention, from additions alone. */
  public boolean knowsItsKeys() {
    return source != null || settings.sourceRules().addedOnly();
  }

  /** The filter as it stands, {@code WARMING}, {@code FAILED} and {@code DISARMED} included. */
  public FilterStatus status() {
    FilterStatus status = store.status();
    if (status.state() == FilterState.READY && store.enforcement().standing().disarmed()) {
      return status.in(FilterState.DISARMED);
    }
    if (status.state() != FilterState.EMPTY) {
      return status;
    }
    if (isBuilding()) {
      return status.in(FilterState.WARMING);
    }
    RebuildReport last = rebuilds().last();
    return last != null && last.outcome() == RebuildOutcome.FAILED
        ? status.in(FilterState.FAILED)
        : status;
  }

  /** What is known of the builds of this filter, in this process and all that share its store. */
  public RebuildStatus rebuilds() {
    return builds == null ? RebuildStatus.NONE : builds.news();
  }

  /** How far the build has come that runs in this process. */
  public RebuildProgress progress() {
    return builds == null ? RebuildProgress.NONE : builds.progress();
  }

  /** The build of this process that waits for a thread, by its run. */
  public Optional<String> queuedRebuild() {
    return builds == null ? Optional.empty() : Optional.ofNullable(builds.queued());
  }

  /** The last build that ended in this process. */
  public Optional<RebuildReport> lastRebuild() {
    return builds == null ? Optional.empty() : Optional.ofNullable(builds.last());
  }

  /** The last build that succeeded in this process. */
  public Optional<RebuildReport> lastSuccess() {
    return builds == null ? Optional.empty() : Optional.ofNullable(builds.lastSuccess());
  }

  /**
   * Gives the filter its first generation, as its warm-up mode says, unless the store serves one
   * already that was built. Without a source, and by intention, that is an empty one; without one
   * and without the intention there is none. Called once.
   *
   * @throws IllegalStateException if the mode is {@code BLOCKING} and nothing serves at its end
   */
  public void start() {
    proveSnapshot();
    if (source == null || builds == null) {
      emptyIsDue = settings.sourceRules().addedOnly();
      serveEmpty();
      if (lacksSource()) {
        log.warn("Filter '{}': {}", name(), NO_SOURCE.formatted(name()));
      }
    } else if (settings.warmUp() == WarmUpMode.BLOCKING && !isReady()) {
      warmUpNow(source, builds);
    } else if (settings.warmUp() != WarmUpMode.NONE && builds.isToBeBuilt()) {
      buildByItself(RebuildTrigger.WARM_UP, source, builds);
    }
  }

  /** Before a build, so that a trusted snapshot serves at once; a build tries it again. */
  private void proveSnapshot() {
    if (source == null || builds == null) {
      return;
    }
    try {
      new SnapshotProof(settings, builds.store(), source, threads).giveIfDue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Starts a rebuild in the background and returns its run identifier. Where all threads that build
   * are taken, it waits for one.
   *
   * @throws RebuildRefusedException if one runs or waits, there is no source, an operator's last
   *     request is within the cooldown, or too many sources hang
   * @throws StoreUnavailableException if the store is out of reach
   */
  public String requestRebuild(RebuildTrigger trigger) {
    return requestRebuild(trigger, false);
  }

  /**
   * The same, published however few keys the source yields if {@code force} is set.
   *
   * @param force whether {@link FilterSettings#sourceRules} may be broken this once
   */
  public String requestRebuild(RebuildTrigger trigger, boolean force) {
    if (source == null || builds == null) {
      throw new RebuildRefusedException(
          RebuildRefusedException.Reason.NO_SOURCE,
          "Filter '" + name() + "' has no source to rebuild from",
          Duration.ZERO,
          null);
    }
    String run = builds.request(trigger, source, force);
    unavailable = null;
    return run;
  }

  /**
   * Cancels the rebuild that runs in this process, or waits for a thread; false where none does. It
   * has ended within five seconds, whether or not its source heeds that, unless it is being
   * published by now.
   */
  public boolean cancelRebuild() {
    return builds != null && builds.cancel();
  }

  /** The keys that reach this filter some time after their rows. */
  public Arrivals arrivals() {
    return builds == null ? Arrivals.NONE : new LateArrivals(builds.store(), recent);
  }

  /**
   * Cancels the rebuild that runs in this process or in any other that shares the store; false
   * where none does.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  public boolean cancelRebuildAnywhere() {
    return cancelRebuild() || builds != null && builds.store().board().cancel();
  }

  /**
   * Serves the generation before the one that serves; false where none is kept.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  public boolean rollback() {
    return builds != null && builds.store().rollback();
  }

  /**
   * Takes every key out of a filter that other programs share.
   *
   * @return how many parts of it were cleared, one after the other
   * @throws ClearRefusedException if the filter is our own, or its settings do not allow it
   * @throws StoreUnavailableException if the store is out of reach; some parts may be cleared
   */
  public int clear() {
    if (store instanceof ClearableStore shared) {
      return shared.clear();
    }
    throw new ClearRefusedException(
        "Only a filter of the backend 'redis-bitmap' can be cleared: one with a source is rebuilt");
  }

  /** Keeps what serves for the next process, where that is not kept anyway. Never throws. */
  public void save() {
    if (builds != null) {
      builds.store().save();
    }
  }

  /**
   * Adds the keys of all rows that changed since a moment, which this thread waits for.
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
    if (isBuilding() || !backoff.isOver()) {
      return;
    }
    FilterStatus status = store.status();
    warnIfOutgrown(status);
    if (source == null || builds == null) {
      serveEmpty();
      return;
    }
    RebuildTrigger due = builds.store().isBuildDue() ? RebuildTrigger.CHANGE : due(status, builds);
    if (due != null) {
      buildByItself(due, source, builds);
    }
  }

  private boolean isBuilding() {
    return builds != null && builds.underWay();
  }

  /** Once a generation. */
  private void warnIfOutgrown(FilterStatus status) {
    if (status.generation() == oversized) {
      return;
    }
    long wanted = growth.outgrownTo(status, builds == null ? 0 : builds.store().keysRead());
    if (wanted > 0) {
      oversized = status.generation();
      log.warn(
          "Filter '{}': it holds about {} keys, more than the {} of"
              + " bloomguard.filters.{}.expected-insertions: set that to {}",
          name(),
          status.estimatedElements(),
          settings.expectedInsertions(),
          name(),
          wanted);
    }
  }

  /** What an operator should change about the filter, in whole sentences. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(store.warnings());
    if (lacksSource()) {
      warnings.add(NO_SOURCE.formatted(name()));
    }
    String refusal = source == null ? null : threads.refusal();
    if (refusal != null) {
      warnings.add("No source is read: " + refusal);
    }
    RebuildReport last = triesAgain() ? rebuilds().last() : null;
    if (last != null) {
      warnings.add("The last build failed and is tried again: " + last.failure());
    }
    return warnings;
  }

  /** Whether nothing serves because the last build failed, and the next is begun by itself. */
  public boolean triesAgain() {
    return settings.warmUp() != WarmUpMode.NONE && status().state() == FilterState.FAILED;
  }

  /** What others who share the store have built serves here too. */
  private boolean lacksSource() {
    return source == null
        && !settings.sourceRules().addedOnly()
        && store.status().state() == FilterState.EMPTY;
  }

  private @Nullable RebuildTrigger due(FilterStatus status, Builds builds) {
    return switch (status.state()) {
      case EMPTY, DOUBTFUL, FAILED -> status.isSettling() ? null : recovery();
      case WARMING, DISARMED -> null;
      case READY ->
          builds.isToBeBuilt() && recovery() != null ? recovery() : whenFull(status, builds);
    };
  }

  private @Nullable RebuildTrigger recovery() {
    return settings.warmUp() == WarmUpMode.NONE ? null : RebuildTrigger.RECOVERY;
  }

  private @Nullable RebuildTrigger whenFull(FilterStatus status, Builds builds) {
    return status.fillRatio() > settings.atFill() && canGrow(status, builds)
        ? RebuildTrigger.FILL
        : null;
  }

  private boolean canGrow(FilterStatus status, Builds builds) {
    if (builds.nextShape(status, true).bits() > status.shape().bits()) {
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

  private void buildByItself(RebuildTrigger trigger, KeySource keys, Builds builds) {
    try {
      BuildOrder order = builds.order(trigger, keys, false);
      order.onFailure(this::notStarted);
      builds.launch(order);
    } catch (RuntimeException e) {
      notStarted(e);
    }
  }

  private void notStarted(Throwable e) {
    if (e instanceof BuildRunningException || e instanceof Builds.NotNeededException) {
      log.debug("Filter '{}': built by another process", name());
      return;
    }
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
    boolean ours = e instanceof RebuildRefusedException;
    log.warn(
        "Filter '{}': no build could be started: {}",
        name(),
        ours ? e.getMessage() : e.getClass().getName());
  }

  private void warmUpNow(KeySource keys, Builds builds) {
    Instant deadline = clock.instant().plus(WAIT_FOR_OTHERS);
    while (!isReady()) {
      try {
        RebuildReport report = builds.runNow(builds.order(RebuildTrigger.WARM_UP, keys, false));
        if (report.outcome() != RebuildOutcome.SUCCEEDED) {
          throw new IllegalStateException(
              "Filter '" + name() + "' could not be warmed up: " + report.failure());
        }
      } catch (BuildRunningException e) {
        waitForOthers(deadline);
      } catch (StoreUnavailableException e) {
        throw new IllegalStateException(
            "Filter '"
                + name()
                + "' could not be warmed up, because its store is out of reach: "
                + e.getMessage(),
            e);
      } catch (Builds.NotNeededException e) {
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

  private boolean isReady() {
    return store.status().state() == FilterState.READY;
  }

  /** A wait between two polls. */
  interface Pause {
    void pause(Duration duration) throws InterruptedException;
  }
}
