package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.internal.journal.JournalMemory;
import io.bloomguard.guard.AddFailedException;
import java.time.Duration;

/**
 * The bounds on the journals of a partition.
 *
 * @param filter the filter's name, for messages
 * @param retention how long an add stays in the journals
 * @param memory bounds this process' retained adds to the filter
 * @param maxBytes bounds the partition's journal in Redis
 */
public record JournalBound(String filter, Duration retention, JournalMemory memory, long maxBytes) {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Every add has ended by this time, in success or failure. */
  private static final Duration LONGEST_ADD = Duration.ofSeconds(20);

  /**
   * The retention of entries: so much longer than that of adds that an add within the latter may
   * rely on an entry of its key that was {@link #fresh} then.
   */
  public Duration span() {
    return retention.plus(retention.dividedBy(4));
  }

  /** How long before an add within the retention the entry that it relies on may lie. */
  public Duration reliance() {
    return span().minus(retention);
  }

  /**
   * The age up to which an add may rely on an earlier entry of its key; zero for never. With the
   * tick of its time and the longest add it is less than the excess of {@link #span} over the
   * retention.
   */
  Duration fresh() {
    return retention.dividedBy(8).compareTo(LONGEST_ADD) < 0
        ? Duration.ZERO
        : retention.dividedBy(10);
  }

  AddFailedException full() {
    Duration share = retention.dividedBy(8);
    return JournalMemory.full(
        filter,
        memory.property(),
        maxBytes,
        "in Redis",
        share.compareTo(PATIENCE) < 0 ? share : PATIENCE);
  }
}
