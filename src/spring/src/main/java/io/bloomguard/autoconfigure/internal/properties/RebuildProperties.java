package io.bloomguard.autoconfigure.internal.properties;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.unit.DataSize;

/**
 * When further generations are built.
 *
 * @param cron A Spring cron expression with seconds; empty for never.
 * @param atFill The fill ratio past which a larger generation is built, within (0, 1].
 * @param cooldown The least time between two rebuilds that operators ask for.
 * @param journalRetention How long acknowledged adds are remembered for a generation that is built
 *     later: longer than the longest transaction that adds.
 * @param journalMax The heap that a process takes to remember its adds of the last
 *     journal-retention, and what all of them take in Redis, at least 1MB; beyond it adds are
 *     refused.
 * @param maxShrink The share by which a build may read fewer keys than the last published one,
 *     within [0, 1].
 */
public record RebuildProperties(
    @DefaultValue("") String cron,
    @DefaultValue("0.5") double atFill,
    @DefaultValue("1m") Duration cooldown,
    @DefaultValue("10m") Duration journalRetention,
    @DefaultValue("128MB") DataSize journalMax,
    @DefaultValue("0.5") double maxShrink) {

  private static final double AT_FILL = 0.5;

  private static final DataSize LEAST_JOURNAL = DataSize.ofMegabytes(1);

  /** Whether the fill ratio is another than the default. */
  boolean isAtFillSet() {
    return atFill != AT_FILL;
  }

  /** Called last: of filters that have no source by their kind, the kind's own check says so. */
  void requireSource(String prefix, SourceProperties source) {
    if (isAtFillSet() && !source.isSet()) {
      throw new InvalidBloomguardSettingException(
          prefix + ".at-fill is " + atFill + ", but the filter has no source to rebuild from",
          "Set " + SourceProperties.KINDS + " of the filter, or leave it out.");
    }
  }

  void validate(String prefix, SourceProperties source) {
    if (!(atFill > 0 && atFill <= 1)) {
      throw new InvalidBloomguardSettingException(
          prefix + ".at-fill is " + atFill + ", but must be within (0, 1]",
          "Set it to the fill ratio that should set off a rebuild; 0.5 is the default.");
    }
    if (!(maxShrink >= 0 && maxShrink <= 1)) {
      throw new InvalidBloomguardSettingException(
          prefix + ".max-shrink is " + maxShrink + ", but must be within [0, 1]",
          "Set it to the share by which the source may shrink between two builds; 0.5 is the"
              + " default, and 1 allows any.");
    }
    DurationRules.requireNotNegative(
        prefix + ".cooldown", cooldown, "Set it to 0s or more, such as 1m.");
    DurationRules.requirePositive(
        prefix + ".journal-retention",
        journalRetention,
        "Set it longer than the longest transaction that adds a key, such as 10m.");
    if (journalMax.compareTo(LEAST_JOURNAL) < 0) {
      throw new InvalidBloomguardSettingException(
          prefix + ".journal-max is " + journalMax + ", but must be at least 1MB",
          "Set it to 12 bytes for each key that is added within journal-retention; 128MB is the"
              + " default.");
    }
    if (!cron.isEmpty() && !CronExpression.isValidExpression(cron)) {
      throw new InvalidBloomguardSettingException(
          prefix + ".cron is '" + cron + "', which is no cron expression",
          "Use six fields (second minute hour day month weekday), such as '0 0 3 * * *'.");
    }
    if (!cron.isEmpty() && !source.isSet()) {
      throw new InvalidBloomguardSettingException(
          prefix + ".cron is '" + cron + "', but the filter has no source to rebuild from",
          "Set " + SourceProperties.KINDS + " of the filter, or leave the schedule out.");
    }
  }
}
