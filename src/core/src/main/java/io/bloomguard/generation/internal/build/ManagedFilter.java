package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.ClearRefusedException;
import io.bloomguard.generation.ClearableStore;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.generation.internal.source.ImageSource;
import io.bloomguard.generation.internal.source.IncrementalScan;
import io.bloomguard.generation.internal.source.SourceQuestions;
import io.bloomguard.generation.internal.source.SourceThreads;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One configured filter, from the view of its application and its operators: its store, its builds,
 * and its {@link Upkeep}.
 */
public final class ManagedFilter {

  private static final Logger log = LoggerFactory.getLogger(ManagedFilter.class);

  private final FilterSettings settings;
  private final FilterStore store;
  // The same store, null if it is never built.
  private final @Nullable GenerationStore built;
  // Null if there is no source.
  private final @Nullable Builds builds;
  private final @Nullable IncrementalScan recent;
  private final @Nullable FilterFeed feed;
  private final RowKeys rowKeys;
  private final BuildAttempts attempts;
  private final Upkeep upkeep;
  private final DoubtLog doubts;

  /** A filter without a feed of changes. */
  public ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      BuildThreads threads,
      InstantSource clock,
      RebuildListener listener,
      KeyTypes keyTypes,
      Pause pause) {
    this(settings, store, source, null, threads, clock, listener, keyTypes, pause);
  }

  /**
   * A filter that does nothing until {@link #start}.
   *
   * @param settings the configuration
   * @param store the place of the bits
   * @param source all keys that exist, null for a filter that holds only added keys
   * @param feed the feed of changes of these keys, null for none
   * @param threads the threads that build the filter and read its source
   * @param clock the clock for reports, progress and backoff
   * @param listener told of each build of this process
   * @param keyTypes the types of the keys that callers ask the filter for
   * @param pause the wait of a warm-up for other processes
   * @throws IllegalArgumentException if there is a source and the store is never built
   */
  public ManagedFilter(
      FilterSettings settings,
      FilterStore store,
      @Nullable KeySource source,
      @Nullable FilterFeed feed,
      BuildThreads threads,
      InstantSource clock,
      RebuildListener listener,
      KeyTypes keyTypes,
      Pause pause) {
    this.feed = feed;
    this.settings = settings;
    this.store = store;
    this.doubts = new DoubtLog(settings.name());
    GenerationStore generations = store instanceof GenerationStore any ? any : null;
    this.built = generations;
    ImageSource images = source instanceof ImageSource sets ? sets : null;
    ResizePolicy resizing = new ResizePolicy(settings, store.answersInMemory(), images == null);
    Backoff backoff = new Backoff(clock);
    Outgrowth outgrowth = new Outgrowth(settings, store, resizing);
    this.attempts = new BuildAttempts(settings.name(), backoff, store::warnings);
    if (generations != null) {
      generations.refillAfterLoss(source != null, this::addRecent);
    }
    if (source == null) {
      this.builds = null;
      this.recent = null;
      this.rowKeys = RowKeys.NONE;
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
        new BuildStart(
            settings, generations, clock, resizing, keyTypes, readers, history, feed, images);
    Builds all =
        new Builds(
            settings.name(), source, start, history, backoff, threads.builders(), clock, listener);
    IncrementalScan scan =
        new IncrementalScan(settings, generations, source, threads.readers(), readers, clock);
    this.builds = all;
    this.recent = scan;
    SourceQuestions questions = new SourceQuestions(settings, source, readers);
    this.rowKeys = questions;
    this.upkeep =
        new SourcedUpkeep(
            settings,
            generations,
            questions,
            threads.readers(),
            new WarmUp(settings.name(), store, all, clock, pause),
            scan,
            all,
            start,
            attempts,
            outgrowth,
            new Repeats(settings, store, clock),
            readers,
            images);
  }

  /** {@return the filter's name} */
  public String name() {
    return settings.name();
  }

  /** {@return the configuration} */
  public FilterSettings settings() {
    return settings;
  }

  /** {@return the store of the bits} */
  public FilterStore store() {
    return store;
  }

  /** {@return whether it has a source, from which a rebuild reads all its keys} */
  public boolean hasSource() {
    return builds != null;
  }

  /** {@return whether its keys come from a source or, by configuration, from additions alone} */
  public boolean knowsItsKeys() {
    return builds != null || settings.sourceRules().addedOnly();
  }

  /**
   * {@return the present status of the filter, {@code WARMING}, {@code FAILED} and {@code DISARMED}
   * included}
   */
  public FilterStatus status() {
    return shown(store.status());
  }

  /** What users see of the status that the store has. */
  private FilterStatus shown(FilterStatus status) {
    if (status.state() == FilterState.READY && store.enforcement().standing().disarmed()) {
      return status.in(FilterState.DISARMED);
    }
    boolean late = store instanceof ReplicatedStore shared && shared.answersTooLate();
    if (status.state() == FilterState.READY && (late || feed != null && feed.isInDoubt())) {
      return status.settling();
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

  /**
   * {@return the status of this filter's builds, in this process and all processes that share its
   * store}
   */
  public RebuildStatus rebuilds() {
    if (builds != null) {
      return builds.status();
    }
    return built == null ? RebuildStatus.NONE : built.rebuildStatus().read();
  }

  /** {@return the progress of the build that runs in this process} */
  public RebuildProgress progress() {
    return builds == null ? RebuildProgress.NONE : builds.progress();
  }

  /** {@return the build of this process that waits for a thread, by its run} */
  public Optional<String> queuedRebuild() {
    return builds == null ? Optional.empty() : Optional.ofNullable(builds.queued());
  }

  /** {@return the last build that ended in this process} */
  public Optional<RebuildReport> lastRebuild() {
    return builds == null ? Optional.empty() : Optional.ofNullable(builds.history().last());
  }

  /** {@return the last build that succeeded in this process} */
  public Optional<RebuildReport> lastSuccess() {
    return builds == null ? Optional.empty() : Optional.ofNullable(builds.history().lastSuccess());
  }

  /**
   * Gives the filter its first generation, by its warm-up mode, unless the store serves a built
   * generation already. A filter that is configured to hold only added keys gets an empty
   * generation; any other filter without a source gets none. Called once.
   *
   * @throws IllegalStateException if the mode is {@code BLOCKING} and no generation serves at its
   *     end
   */
  public void start() {
    upkeep.start();
  }

  /**
   * Prepares the store for the first generation, ahead of its build. Called every second or so,
   * also before and during {@link #start}, by one thread at a time. Never throws.
   */
  public void prepare() {
    try {
      upkeep.prepare();
    } catch (RuntimeException e) {
      log.debug("Filter '{}': the store could not be prepared", name(), e);
    }
  }

  /**
   * Starts a rebuild in the background. If all build threads are busy, the rebuild waits for one.
   *
   * @param trigger the reason for the rebuild; a cooldown holds for {@code REQUEST} alone
   * @return the identifier of the run
   * @throws RebuildRefusedException if a rebuild runs or waits, there is no source, an operator's
   *     last request is within the cooldown, or too many sources hang
   * @throws StoreUnavailableException if the store is out of reach
   */
  public String requestRebuild(RebuildTrigger trigger) {
    return requestRebuild(trigger, false);
  }

  /**
   * Requests a rebuild that is published even if the source yields too few keys, if {@code force}
   * is set.
   *
   * @param trigger the reason for the rebuild; a cooldown holds for {@code REQUEST} alone
   * @param force whether {@link FilterSettings#sourceRules} may be broken this once
   * @return the identifier of the run
   */
  public String requestRebuild(RebuildTrigger trigger, boolean force) {
    if (builds == null) {
      throw RebuildRefusedException.noSource(name());
    }
    String run = builds.request(trigger, force);
    attempts.ended(null);
    return run;
  }

  /** Starts a rebuild by the filter's schedule; a refusal is logged. */
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
   * Cancels the rebuild that runs in this process, or waits for a thread. The rebuild ends within
   * five seconds, even if its source does not react, unless it is being published by now.
   *
   * @return false if no rebuild runs or waits
   */
  public boolean cancelRebuild() {
    return builds != null && builds.cancel();
  }

  /** {@return whether its source reports recent keys, which are added every so often} */
  public boolean readsRecent() {
    return recent != null && recent.isKnown();
  }

  /** {@return the keys that reach this filter some time after their rows} */
  public Arrivals arrivals() {
    return built == null ? Arrivals.NONE : new LateArrivals(built, recent, feed);
  }

  /** {@return the keys under which its source has the rows that loads find} */
  public RowKeys rowKeys() {
    return rowKeys;
  }

  /**
   * Cancels the rebuild that runs in this process or in any other that shares the store.
   *
   * @return false if none runs
   * @throws StoreUnavailableException if the store is out of reach
   */
  public boolean cancelRebuildAnywhere() {
    return cancelRebuild() || built != null && built.rebuildStatus().cancel();
  }

  /**
   * Serves the previous generation again.
   *
   * @return false if no older generation is kept
   * @throws StoreUnavailableException if the store is out of reach
   */
  public boolean rollback() {
    return built != null && built.rollback();
  }

  /**
   * Ends a doubt that only a rebuild would end, at the word of an operator; a filter of added keys
   * that has lost everything serves from the beginning. Does nothing if the filter can be rebuilt.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  public void believe() {
    if (builds == null && store instanceof ReplicatedStore shared) {
      shared.believe();
      if (settings.sourceRules().addedOnly()) {
        shared.serveEmpty(settings.shape());
      }
    }
  }

  /**
   * Removes every key from a filter that other programs share.
   *
   * @return how many parts of it were cleared, one after the other
   * @throws ClearRefusedException if the filter belongs to Bloomguard alone, or its settings do not
   *     allow it
   * @throws StoreUnavailableException if the store is out of reach; some parts may be cleared
   */
  public int clear() {
    if (store instanceof ClearableStore shared) {
      return shared.clear();
    }
    throw new ClearRefusedException(
        "Only a filter of the backend 'redis-bitmap' can be cleared: one with a source is rebuilt");
  }

  /**
   * Keeps the serving generation for the next process, if the store does not keep it anyway. Never
   * throws.
   */
  public void save() {
    if (built != null) {
      built.save();
    }
  }

  /**
   * Adds the keys of all rows that changed since a moment; this thread waits for it.
   *
   * @param since the moment, compared to the timestamp of each row
   * @return the number of keys that were not in the serving generation; 0 if the source does not
   *     report changes
   * @throws KeySourceException if they could not all be read
   * @throws io.bloomguard.guard.AddFailedException if they could not all be added
   */
  public int addRecent(Instant since) {
    return recent == null ? 0 : recent.add(since);
  }

  /** {@return the feed of changes, null for none} */
  public @Nullable FilterFeed feed() {
    return feed;
  }

  /**
   * Shows that this process is alive, and looks at its feed. Called every second, on a thread
   * without slow tasks; never throws.
   */
  public void heartbeat() {
    store.heartbeat();
    if (feed != null) {
      feed.serves(store.servingStamp());
      feed.refresh();
    }
  }

  /**
   * Does the upkeep that is due: gives up old generations, adds the keys of recent rows, and
   * rebuilds a filter that is too full or has lost its generation; logs a doubt that lasts. Called
   * every second or so, by one thread at a time. Never throws.
   */
  public void maintain() {
    try {
      store.maintain();
    } catch (RuntimeException e) {
      log.debug("Filter '{}': the store could not be maintained", name(), e);
    }
    try {
      FilterStatus read = upkeep.maintain();
      doubts.look((read == null ? status() : shown(read)).state());
    } catch (RuntimeException e) {
      log.warn("Maintenance of filter '{}' failed and is tried again", name(), e);
    }
  }

  /**
   * {@return the changes that an operator should make to the filter, in whole sentences; empty for
   * none}
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(store.warnings());
    warnings.addAll(upkeep.warnings());
    String unbegun = attempts.failure();
    if (unbegun != null) {
      warnings.add(unbegun);
    }
    String doubt = feed == null ? null : feed.doubt();
    if (doubt != null) {
      warnings.add(doubt);
    }
    RebuildReport last = unbegun == null && triesAgain() ? rebuilds().last() : null;
    if (last != null) {
      warnings.add("The last build failed and is tried again: " + last.failure());
    }
    return warnings;
  }

  /**
   * {@return whether no generation serves because the last build failed, and the next one begins by
   * itself}
   */
  public boolean triesAgain() {
    return settings.warmUp() != WarmUpMode.NONE && status().state() == FilterState.FAILED;
  }

  /** A wait between two polls. */
  public interface Pause {

    Pause SLEEP = duration -> Thread.sleep(duration.toMillis());

    /** Waits for so long. */
    void pause(Duration duration) throws InterruptedException;
  }
}
