package io.bloomguard.autoconfigure.internal.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.unit.DataSize;

/**
 * When further generations are built.
 *
 * @param cron A Spring cron expression with seconds; empty for never.
 * @param atFill The fill ratio past which a larger generation is built, within (0, 1].
 * @param atRepeated The number of false positives a second that were loaded before in the same
 *     generation from which on the next one is built, whose false positives are others; not set:
 *     never.
 * @param cooldown The least time between two rebuilds that operators ask for.
 * @param journalRetention How long acknowledged adds are remembered for a generation that is built
 *     later: longer than the longest transaction that adds.
 * @param journalMax The heap that a process takes to remember its adds of the last
 *     journal-retention, and what all of them take in Redis, at least 1MB; beyond it adds are
 *     refused.
 * @param maxShrink The share by which a build may read fewer keys than the last published one,
 *     within [0, 1].
 * @param keepPrevious Whether the generation before the serving one is kept for journal-retention,
 *     so that an operator can roll back to it; it takes as much memory again.
 */
public record RebuildProperties(
    @DefaultValue("") String cron,
    @DefaultValue("0.5") double atFill,
    @Nullable Double atRepeated,
    @DefaultValue("1m") Duration cooldown,
    @DefaultValue("10m") Duration journalRetention,
    @DefaultValue("128MB") DataSize journalMax,
    @DefaultValue("0.5") double maxShrink,
    @DefaultValue("true") boolean keepPrevious) {

  /** The bytes of an add in the journal in Redis, where it stays for five quarters of the time. */
  private static final int BYTES_PER_ADD = 51;

  public boolean cronReadable() {
    return CronExpression.isValidExpression(cron);
  }

  /** The adds a second that the journal has room for with a retention. */
  public long addsPerSecond(Duration retention) {
    return journalMax.toBytes() / BYTES_PER_ADD * 4 / 5 / Math.max(1, retention.toSeconds());
  }
}
