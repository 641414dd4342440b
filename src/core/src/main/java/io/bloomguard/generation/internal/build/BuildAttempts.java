package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.StoreUnavailableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The builds that a filter begins by itself: each failure to begin one delays the next. */
final class BuildAttempts {

  private static final Logger log = LoggerFactory.getLogger(BuildAttempts.class);

  private final String filter;
  private final Backoff backoff;

  // The reason why the store is out of reach, which is logged once; null while it is in reach.
  private volatile @Nullable String unavailable;

  BuildAttempts(String filter, Backoff backoff) {
    this.filter = filter;
    this.backoff = backoff;
  }

  /** Whether a build may begin by now. */
  boolean isNextDue() {
    return backoff.isOver();
  }

  /** Notes that a build has begun. */
  void succeeded() {
    unavailable = null;
  }

  /** Notes that a build could not begin. */
  void failed(Throwable e) {
    if (e instanceof BuildRunningException || e instanceof BuildNotNeededException) {
      log.debug("Filter '{}': built by another process", filter);
      return;
    }
    if (e instanceof StoreUnavailableException) {
      backoff.unreachable();
      String why = String.valueOf(e.getMessage());
      if (!why.equals(unavailable)) {
        unavailable = why;
        log.warn("Filter '{}': no build could be started, and is tried again: {}", filter, why);
      }
      return;
    }
    backoff.failed();
    boolean ours = e instanceof RebuildRefusedException;
    log.warn(
        "Filter '{}': no build could be started: {}",
        filter,
        ours ? e.getMessage() : e.getClass().getName());
  }
}
