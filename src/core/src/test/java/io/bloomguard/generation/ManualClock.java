package io.bloomguard.generation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that a test moves. */
public final class ManualClock implements InstantSource {

  private volatile Instant now = Instant.EPOCH;

  @Override
  public Instant instant() {
    return now;
  }

  public void pass(Duration time) {
    now = now.plus(time);
  }

  public long nanos() {
    return Duration.between(Instant.EPOCH, now).toNanos();
  }
}
