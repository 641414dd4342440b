package io.bloomguard.generation.internal.source;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A reading in the background that is due again an interval after it was last tried. */
final class Recurring {

  private static final Logger log = LoggerFactory.getLogger(Recurring.class);

  private final String filter;
  private final String what;
  private final Duration interval;
  private final InstantSource clock;
  private final AtomicBoolean underWay = new AtomicBoolean();
  private volatile Instant last = Instant.MIN;

  /**
   * A reading that is due at once.
   *
   * @param filter the filter's name, for messages
   * @param what what is read, for messages
   */
  Recurring(String filter, String what, Duration interval, InstantSource clock) {
    this.filter = filter;
    this.what = what;
    this.interval = interval;
    this.clock = clock;
  }

  /** Begins the reading, if it is due and not under way. Never throws. */
  void beginIfDue(Executor executor, Runnable reading) {
    if (!isDue(clock.instant()) || !underWay.compareAndSet(false, true)) {
      return;
    }
    try {
      executor.execute(
          () -> {
            try {
              reading.run();
            } finally {
              underWay.set(false);
            }
          });
    } catch (RuntimeException e) {
      underWay.set(false);
      log.debug("Filter '{}': {} cannot be read now", filter, what, e);
    }
  }

  private boolean isDue(Instant now) {
    Instant tried = last;
    // A clock that was set back must not delay the next reading.
    return now.isBefore(tried) || !now.isBefore(tried.plus(interval));
  }

  /** {@return the present moment} The reading has been tried then. */
  Instant tried() {
    Instant now = clock.instant();
    last = now;
    return now;
  }
}
