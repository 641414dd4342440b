package io.bloomguard.generation.internal.build;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The wait before an automatic retry: 5 seconds after a failure, then twice as long up to 5
 * minutes; but always 5 seconds if the store was out of reach, since such a retry costs the source
 * nothing.
 */
final class Backoff {

  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final InstantSource clock;
  private Duration wait = FIRST;
  private Instant until = Instant.MIN;

  Backoff(InstantSource clock) {
    this.clock = clock;
  }

  synchronized void failed() {
    until = clock.instant().plus(wait);
    Duration longer = wait.multipliedBy(2);
    wait = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
  }

  synchronized void unreachable() {
    until = clock.instant().plus(FIRST);
  }

  synchronized void succeeded() {
    wait = FIRST;
    until = Instant.MIN;
  }

  synchronized boolean isOver() {
    return !clock.instant().isBefore(until);
  }
}
