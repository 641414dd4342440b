package io.bloomguard.generation;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A build that has ended.
 *
 * @param run its random identifier
 * @param keys how many keys the source yielded
 * @param failure what went wrong, without any key; null unless it failed
 */
public record RebuildReport(
    String run,
    Instant started,
    Instant finished,
    long keys,
    RebuildOutcome outcome,
    RebuildTrigger trigger,
    @Nullable String failure) {

  /** From start to finish. */
  public Duration duration() {
    return Duration.between(started, finished);
  }
}
