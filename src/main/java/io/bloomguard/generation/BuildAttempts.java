package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The builds that a filter begins by itself: each failure to begin one puts the next one off. */
final class BuildAttempts {

  private static final Logger log = LoggerFactory.getLogger(BuildAttempts.class);

  private final String filter;
  private final Backoff backoff;

  // Why the store was out of reach, which is said once; null once it is not.
  private volatile @Nullable String unavailable;

  BuildAttempts(String filter, Backoff backoff) {
    this.filter = filter;
    this.backoff = backoff;
  }

  /** Whether one may begin by now. */
  boolean isNextDue() {
    return backoff.isOver();
  }

  /** One has begun. */
  void succeeded() {
    unavailable = null;
  }

  /** One could not begin. */
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
