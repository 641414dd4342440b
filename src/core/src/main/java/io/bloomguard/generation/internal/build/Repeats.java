package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.internal.FilterSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The rate at which this process loads false positives again that had a null entry in the same
 * generation. Used by one thread at a time.
 */
final class Repeats {

  /** The time over which the rate is taken. */
  private static final Duration WINDOW = Duration.ofSeconds(10);

  private final FilterSettings settings;
  private final FilterStore store;
  private final InstantSource clock;
  private long generation;
  private long counted;
  private Instant since = Instant.MIN;

  Repeats(FilterSettings settings, FilterStore store, InstantSource clock) {
    this.settings = settings;
    this.store = store;
    this.clock = clock;
  }

  /** Whether they were too many in the last window of the serving generation. */
  boolean areTooMany(FilterStatus status) {
    if (settings.atRepeated() == 0) {
      return false;
    }
    long count = store.falsePositives(true);
    Instant now = clock.instant();
    boolean begun = status.generation() == generation;
    if (begun && now.isBefore(since.plus(WINDOW))) {
      return false;
    }
    double rate = begun ? (count - counted) * 1000.0 / Duration.between(since, now).toMillis() : 0;
    generation = status.generation();
    counted = count;
    since = now;
    return rate >= settings.atRepeated();
  }
}
