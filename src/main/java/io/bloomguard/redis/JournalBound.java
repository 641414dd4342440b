package io.bloomguard.redis;

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
record JournalBound(String filter, Duration retention, JournalMemory memory, long maxBytes) {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** The bounds of one of {@code partitions}, which share out what the filter may have in Redis. */
  static JournalBound of(RedisFilter filter, int partitions) {
    JournalMemory memory = filter.journalMemory();
    return new JournalBound(
        filter.name(), filter.journalRetention(), memory, memory.bound() / partitions);
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
