package io.bloomguard.classic.internal.small;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reason to leave a filter's present data in Redis alone; the log has it once. */
public final class DataRefusal {

  private static final Logger log = LoggerFactory.getLogger(DataRefusal.class);

  private final String filter;
  private volatile @Nullable String why;

  /** No reason yet. */
  public DataRefusal(String filter) {
    this.filter = filter;
  }

  /** The reason; null if the data is used. */
  public @Nullable String why() {
    return why;
  }

  /** Notes the reason, null for none. */
  public void because(@Nullable String reason) {
    if (reason != null && !reason.equals(why)) {
      log.warn("Filter '{}': {}", filter, reason);
    }
    why = reason;
  }
}
