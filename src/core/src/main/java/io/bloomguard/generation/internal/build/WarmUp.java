package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A warm-up that the start of the application waits for. */
final class WarmUp {

  /** The time that it waits for the build of another process. */
  private static final Duration WAIT_FOR_OTHERS = Duration.ofMinutes(10);

  private static final Duration POLL = Duration.ofMillis(500);

  private final String filter;
  private final FilterStore store;
  private final Builds builds;
  private final InstantSource clock;
  private final ManagedFilter.Pause pause;

  WarmUp(
      String filter,
      FilterStore store,
      Builds builds,
      InstantSource clock,
      ManagedFilter.Pause pause) {
    this.filter = filter;
    this.store = store;
    this.builds = builds;
    this.clock = clock;
    this.pause = pause;
  }

  /**
   * Builds the first generation on this thread, or waits for the build of another process, until a
   * generation is ready.
   *
   * @throws IllegalStateException if none is
   */
  void await() {
    Instant deadline = clock.instant().plus(WAIT_FOR_OTHERS);
    while (!isReady()) {
      try {
        RebuildReport report = builds.runNow(RebuildTrigger.WARM_UP);
        if (report.outcome() != RebuildOutcome.SUCCEEDED) {
          throw new IllegalStateException(
              "Filter '" + filter + "' could not be warmed up: " + report.failure());
        }
      } catch (BuildRunningException e) {
        waitForOthers(deadline);
      } catch (StoreUnavailableException e) {
        throw new IllegalStateException(
            "Filter '"
                + filter
                + "' could not be warmed up, because its store is out of reach: "
                + e.getMessage(),
            e);
      } catch (BuildNotNeededException e) {
        if (!isReady()) {
          waitForOthers(deadline);
        }
      }
    }
  }

  private void waitForOthers(Instant deadline) {
    if (clock.instant().isAfter(deadline)) {
      throw new IllegalStateException(
          "Filter '" + filter + "' was not warmed up by another process in " + WAIT_FOR_OTHERS);
    }
    try {
      pause.pause(POLL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while filter '" + filter + "' warmed up", e);
    }
  }

  /** Whether a generation serves and decides. */
  boolean isReady() {
    return store.status().state() == FilterState.READY;
  }
}
