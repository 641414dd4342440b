package io.bloomguard.redis.partition;

import io.bloomguard.generation.journal.JournalMemory;
import io.bloomguard.guard.JournalFullException;
import java.time.Duration;

/**
 * The bounds on the journals of a partition.
 *
 * @param filter the filter's name, for messages
 * @param retention how long an add stays in the journals
 * @param memory bounds what this process remembers of its adds to the filter
 * @param maxBytes bounds the partition's journal in Redis
 */
public record JournalBound(String filter, Duration retention, JournalMemory memory, long maxBytes) {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** An add has ended, in success or failure, before so long. */
  private static final Duration LONGEST_ADD = Duration.ofSeconds(20);

  /**
   * How long entries are kept: so much longer than the retention that an add within it may rely on
   * an entry of its key that was {@link #fresh} then.
   */
  public Duration span() {
    return retention.plus(retention.dividedBy(4));
  }

  /**
   * The age up to which an entry of a key stands for another one; zero for never. With the tick of
   * its time and the longest add it is less than what {@link #span} has beyond the retention.
   */
  Duration fresh() {
    return retention.dividedBy(8).compareTo(LONGEST_ADD) < 0
        ? Duration.ZERO
        : retention.dividedBy(10);
  }

  JournalFullException full() {
    Duration share = retention.dividedBy(8);
    return new JournalFullException(
        filter,
        memory.property(),
        maxBytes,
        "in Redis",
        share.compareTo(PATIENCE) < 0 ? share : PATIENCE);
  }
}
