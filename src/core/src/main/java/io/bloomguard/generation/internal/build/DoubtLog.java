package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.FilterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a filter's doubts: one line when it has begun to answer unknown, such as when Redis is
 * out of reach, and one when it serves again. Used by one thread at a time.
 */
final class DoubtLog {

  private static final Logger log = LoggerFactory.getLogger(DoubtLog.class);

  private final String filter;

  /** The state when it was last looked at. */
  private FilterState last = FilterState.EMPTY;

  private boolean told;

  DoubtLog(String filter) {
    this.filter = filter;
  }

  /** A doubt counts from the second look on, so that one of a moment is not logged. */
  void look(FilterState state) {
    if (state == FilterState.DOUBTFUL) {
      if (last == FilterState.DOUBTFUL && !told) {
        told = true;
        log.warn(
            "Filter '{}' is DOUBTFUL, because its store is out of reach or may lack keys: every"
                + " answer is UNKNOWN until it is READY again",
            filter);
      }
    } else if (told && (state == FilterState.READY || state == FilterState.DISARMED)) {
      told = false;
      log.info("Filter '{}' is {} again", filter, state);
    }
    last = state;
  }
}
