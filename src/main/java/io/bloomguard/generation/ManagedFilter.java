package io.bloomguard.generation;

import io.bloomguard.guard.KeyTypes;
import io.bloomguard.guard.verify.Arrivals;
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
 * One configured filter as its application and its operators see it: its store, its builds, and its
 * {@link Upkeep}.
 */
public final class ManagedFilter {

  private static final Logger log = LoggerFactory.getLogger(ManagedFilter.class);

  private final FilterSettings settings;
  private final FilterStore store;
  // The same store, null where it is never built.
  private final @Nullable GenerationStore built;
  // Null where there is no source.
  private final @Nullable Builds builds;
  private final @Nullable IncrementalScan recent;
  private final BuildAttempts attempts;
  private final Upkeep upkeep;

  /**
   * A filter that does nothing until {@link #start}.
   *
   * @param source all keys that exist, null for a filter that holds only what is added
   * @param threads build it and read its source
   * @param clock for reports, progress and backoff
   * @param keyTypes what the filter is asked with
   * @throws IllegalArgumentException if there is a source and the store is never built
   */
  public ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      BuildThreads threads,
      InstantSource clock,
      RebuildListener listener,
      KeyTypes keyTypes) {
    this(
        settings,
        store,
        source,
        threads,
        clock,
        listener,
        keyTypes,
        d -> Thread.sleep(d.toMillis()));
  }

  /**
   * The same of which no key types are known.
   *
   * @param executor runs builds and readings in the background
   */
  public ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      Executor executor,
      InstantSource clock,
      RebuildListener listener) {
    this(
        settings,
        store,
        source,
        new BuildThreads(executor, executor, new SourceThreads()),
        clock,
        listener,
        new KeyTypes());
  }

  ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      BuildThreads threads,
      InstantSource clock,
      RebuildListener listener,
      KeyTypes keyTypes,
      WarmUp.Pause pause) {
    this.settings = settings;
    this.store = store;
    GenerationStore generations = store instanceof GenerationStore any ? any : null;
    this.built = generations;
    ResizePolicy resizing = new ResizePolicy(settings);
    Backoff backoff = new Backoff(clock);
    Outgrowth outgrowth = new Outgrowth(settings, store, resizing);
    this.attempts = new BuildAttempts(settings.name(), backoff);
    if (generations != null) {
      generations.refillAfterLoss(source != null, this::addRecent);
    }
    if (source == null) {
      this.builds = null;
      this.recent = null;
      this.upkeep = new SourcelessUpkeep(settings, store, attempts, outgrowth);
      return;
    }
    if (generations == null) {
      throw new IllegalArgumentException(
          "Filter '" + settings.name() + "' has a source, but its store is never built from one");
    }
    SourceThreads readers = threads.sources();
    BuildHistory history = new BuildHistory(generations);
    BuildStart start =
        new BuildStart(settings, generations, clock, resizing, keyTypes, readers, history);
    Builds all =
        new Builds(
            settings.name(), source, start, history, backoff, threads.builders(), clock, listener);
    IncrementalScan scan =
        new IncrementalScan(settings, generations, source, threads.readers(), readers, clock);
    this.builds = all;
    this.recent = scan;
    this.upkeep =
        new SourcedUpkeep(
            settings,
            generations,
            new SnapshotProof(settings, generations, source, readers),
            new WarmUp(settings.name(), store, all, clock, pause),
            scan,
            all,
            start,
            attempts,
            outgrowth,
            readers);
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
    return builds != null || settings.sourceRules().addedOnly();
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
    if (builds != null && builds.underWay()) {
      return status.in(FilterState.WARMING);
    }
    RebuildReport last = rebuilds().last();
    return last != null && last.outcome() == RebuildOutcome.FAILED
        ? status.in(FilterState.FAILED)
        : status;
  }

  /** The status of this filter's builds, in this process and all that share its store. */
  public RebuildStatus rebuilds() {
    if (builds != null) {
      return builds.status();
    }
    return built == null ? RebuildStatus.NONE : built.rebuildStatus().read();
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
    return builds == null ? Optional.empty() : Optional.ofNullable(builds.history().last());
  }

  /** The last build that succeeded in this process. */
  public Optional<RebuildReport> lastSuccess() {
    return builds == null ? Optional.empty() : Optional.ofNullable(builds.history().lastSuccess());
  }

  /**
   * Gives the filter its first generation, as its warm-up mode says, unless the store serves one
   * already that was built. Without a source, and by intention, that is an empty one; without one
   * and without the intention there is none. Called once.
   *
   * @throws IllegalStateException if the mode is {@code BLOCKING} and nothing serves at its end
   */
  public void start() {
    upkeep.start();
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
    if (builds == null) {
      throw RebuildRefusedException.noSource(name());
    }
    String run = builds.request(trigger, force);
    attempts.succeeded();
    return run;
  }

  /** Starts the rebuild that the filter's schedule asks for; a refusal is logged. */
  public void rebuildOnSchedule() {
    try {
      requestRebuild(RebuildTrigger.SCHEDULE);
    } catch (RebuildRefusedException e) {
      log.info("Filter '{}' is not rebuilt by schedule: {}", name(), e.getMessage());
    } catch (StoreUnavailableException e) {
      log.warn("Filter '{}' is not rebuilt by schedule: {}", name(), e.getMessage());
    }
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
    return built == null ? Arrivals.NONE : new LateArrivals(built, recent);
  }

  /**
   * Cancels the rebuild that runs in this process or in any other that shares the store; false
   * where none does.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  public boolean cancelRebuildAnywhere() {
    return cancelRebuild() || built != null && built.rebuildStatus().cancel();
  }

  /**
   * Serves the generation before the one that serves; false where none is kept.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  public boolean rollback() {
    return built != null && built.rollback();
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
    if (built != null) {
      built.save();
    }
  }

  /**
   * Adds the keys of all rows that changed since a moment, which this thread waits for.
   *
   * @return how many were not in the serving generation; 0 if the source does not report changes
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
    try {
      upkeep.maintain();
    } catch (RuntimeException e) {
      log.warn("Maintenance of filter '{}' failed and is tried again", name(), e);
    }
  }

  /** The changes that an operator should make to the filter, in whole sentences. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(store.warnings());
    warnings.addAll(upkeep.warnings());
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
}
