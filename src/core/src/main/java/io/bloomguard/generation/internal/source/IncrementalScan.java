package io.bloomguard.generation.internal.source;

import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.internal.FilterSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scan that adds the keys of rows that other programs inserted or changed to a store, as the
 * source reports them.
 *
 * <p>Each reading goes back to the begin of the last one that succeeded, and further by the
 * journal's retention, because a row becomes visible only when its transaction ends, and because
 * the clocks of database and application differ. A key is added when it is first read, even if the
 * serving generation has it: it may be a false positive there, and missing in the generation that
 * is being built. A key that is read again is added only if the store has lost it.
 */
public final class IncrementalScan {

  /** The longest refill: every answer is UNKNOWN meanwhile, so after that a build is better. */
  private static final Duration REFILL_AT_MOST = Duration.ofSeconds(30);

  private static final Logger log = LoggerFactory.getLogger(IncrementalScan.class);

  private final FilterSettings settings;
  private final GenerationStore store;
  private final KeySource source;
  private final Executor executor;
  private final SourceThreads threads;
  private final Instant created;
  private final Recurring readings;

  /** False once the source has turned out not to report changes. */
  private volatile boolean told = true;

  /** The begin of the last reading that succeeded, by {@code System.nanoTime()}; null for none. */
  private volatile @Nullable Long lastBegan;

  // Used by one reading at a time.
  private @Nullable Instant lastRead;
  private Set<String> lastKeys = Set.of();
  private @Nullable String failure;

  public IncrementalScan(
      FilterSettings settings,
      GenerationStore store,
      KeySource source,
      Executor executor,
      SourceThreads threads,
      InstantSource clock) {
    this.settings = settings;
    this.store = store;
    this.source = source;
    this.executor = executor;
    this.threads = threads;
    this.created = clock.instant();
    this.readings = new Recurring(settings.name(), "recent keys", settings.recentInterval(), clock);
  }

  /** Reads the changed rows in the background, if that is due and not under way. Never throws. */
  public void readIfDue() {
    if (told) {
      readings.beginIfDue(executor, this::read);
    }
  }

  private void read() {
    IncrementalSink sink = new IncrementalSink(settings, store, lastKeys, threads);
    try {
      if (!source.knowsRecent()) {
        told = false;
      } else if (store.status().state() == FilterState.READY) {
        read(sink);
      }
    } catch (CancellationException | InterruptedException e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      log.debug("Filter '{}': the reading of recent keys was cancelled", settings.name(), e);
    } catch (Exception e) {
      failed(sink.storeFailed() ? e.getClass().getName() : e.toString());
    }
  }

  private void read(IncrementalSink sink) throws Exception {
    Instant now = readings.tried();
    long began = System.nanoTime();
    Instant since = since(now);
    sink.read(into -> source.forEachRecent(since, into), null);
    lastRead = now;
    lastKeys = sink.keys();
    log.debug("Filter '{}': {} recent keys were added", settings.name(), sink.added());
    // Keys that break the rules are skipped for good: no caller can ask for them.
    lastBegan = began;
    if (sink.refusal() != null) {
      failed(sink.refusal());
    } else if (failure != null) {
      failure = null;
      log.info("Filter '{}': recent keys are read again", settings.name());
    }
  }

  /** A time before the timestamps of all rows that the previous reading or build could not see. */
  private Instant since(Instant now) {
    Instant last = lastRead;
    if (last == null) {
      // The serving generation was built by this process, or the running processes keep it current.
      Instant snapshot = store.snapshotTime();
      last = snapshot == null ? created : earlier(snapshot, created);
    }
    return earlier(last, now).minus(settings.journalRetention());
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  /** Whether the source reports changed rows. */
  public boolean isKnown() {
    return source.knowsRecent();
  }

  /** Whether a reading that succeeded began after a moment of {@code System.nanoTime()}. */
  public boolean hasReadSince(long moment) {
    Long began = lastBegan;
    return began != null && began - moment > 0;
  }

  private void failed(@Nullable String why) {
    if (why != null && !why.equals(failure)) {
      failure = why;
      log.warn(
          "Filter '{}': recent keys could not all be read, which is tried again every {}: {}",
          settings.name(),
          settings.recentInterval(),
          why);
    }
  }

  /**
   * Adds every key of rows changed since a moment; this thread waits for it.
   *
   * @return the number of keys that were not in the serving generation; 0 for a source that does
   *     not report changes
   * @throws KeySourceException if they could not all be read in time
   * @throws RuntimeException if they could not all be added
   */
  public int add(Instant since) {
    if (!source.knowsRecent()) {
      return 0;
    }
    IncrementalSink sink = new IncrementalSink(settings, store, Set.of(), threads);
    try {
      sink.read(into -> source.forEachRecent(since, into), REFILL_AT_MOST);
      return sink.added();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new KeySourceException(
          "The recent keys of filter '" + settings.name() + "' could not be read", e);
    }
  }
}
