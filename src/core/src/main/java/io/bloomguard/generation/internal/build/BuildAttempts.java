package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.StoreUnavailableException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The builds that a filter begins by itself: each failure to begin one delays the next. */
final class BuildAttempts {

  private static final Logger log = LoggerFactory.getLogger(BuildAttempts.class);

  private final String filter;
  private final Backoff backoff;

  private final Supplier<List<String>> known;

  /** The reason why the last build could not begin; null if it could. */
  private volatile @Nullable String failure;

  private volatile boolean unavailable;

  /**
   * No attempt yet.
   *
   * @param known what the log has already, in whole sentences
   */
  BuildAttempts(String filter, Backoff backoff, Supplier<List<String>> known) {
    this.filter = filter;
    this.backoff = backoff;
    this.known = known;
  }

  /** Why no build could begin, as a sentence; null if the last one could. */
  @Nullable String failure() {
    String why = failure;
    return why == null || known.get().contains(why)
        ? null
        : "No build could be started" + (unavailable ? ", and is tried again: " : ": ") + why;
  }

  /** Whether a build may begin by now. */
  boolean isNextDue() {
    return backoff.isOver();
  }

  /** Notes that a build has begun, or the failure that has kept it from that. */
  void ended(@Nullable Throwable e) {
    if (e == null) {
      failure = null;
    } else {
      failed(e);
    }
  }

  /** Notes that a build could not begin. */
  void failed(Throwable e) {
    if (e instanceof BuildRunningException || e instanceof BuildNotNeededException) {
      log.debug("Filter '{}': built by another process", filter);
      failure = null;
      return;
    }
    unavailable = e instanceof StoreUnavailableException;
    if (unavailable) {
      backoff.unreachable();
    } else {
      backoff.failed();
    }
    String why =
        unavailable || e instanceof RebuildRefusedException || e instanceof KeySourceException
            ? String.valueOf(e.getMessage())
            : e.getClass().getName();
    String before = failure;
    failure = why;
    String sentence = failure();
    if (sentence != null && !why.equals(before)) {
      log.warn("Filter '{}': {}", filter, sentence);
    }
  }
}
