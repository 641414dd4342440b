package io.bloomguard.generation;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The report of a build that has ended.
 *
 * @param run its random identifier
 * @param started the time at which the build began, by the clock of its process
 * @param finished the time at which it ended, by the same clock
 * @param keys the number of keys that the source yielded
 * @param outcome its result
 * @param trigger its cause
 * @param failure the cause of the failure, without any key; null unless the build failed
 */
public record RebuildReport(
    String run,
    Instant started,
    Instant finished,
    long keys,
    RebuildOutcome outcome,
    RebuildTrigger trigger,
    @Nullable String failure) {

  /** {@return the time from start to finish} */
  public Duration duration() {
    return Duration.between(started, finished);
  }
}
