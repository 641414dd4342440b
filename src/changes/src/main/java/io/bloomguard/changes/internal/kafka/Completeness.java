package io.bloomguard.changes.internal.kafka;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The moment until which everything that was committed has been read.
 *
 * <p>What Kafka has is known by rounds: the ends of the partitions are asked for, and once all
 * before them has been read, the moment of the question counts. What the connector has still to
 * write is known by its signs: a record beyond the ends of an earlier round was written after that
 * round began, so the connector worked then, unless it had held the record for a while. A sign
 * counts for the rounds that begin after it was read: what the connector wrote before it, into any
 * partition, is before their ends. The moments are those of this process' clock.
 */
final class Completeness {

  private final boolean needsSigns;
  private final LongSupplier ticker;

  /** The round under way, null for none. */
  private @Nullable Round round;

  /** The last round that was read to its end. */
  private @Nullable Round before;

  /** The last moment at which the connector is known to have worked. */
  private @Nullable Long sign;

  /** The time by which the connector was behind, and the moment when that was read. */
  private long delayNanos;

  private long delayRead;

  /**
   * @param needsSigns whether there are heartbeats, so that a connector without signs stands still
   * @param ticker nanoseconds that only grow
   */
  Completeness(boolean needsSigns, LongSupplier ticker) {
    this.needsSigns = needsSigns;
    this.ticker = ticker;
  }

  /** Whether the next question for the ends is due. */
  boolean isDue() {
    return round == null;
  }

  /**
   * Begins a round.
   *
   * @param asked the moment before the question
   * @param ends the answer
   */
  void begin(long asked, Map<TopicPartition, Long> ends) {
    round = new Round(asked, ends, sign);
  }

  /**
   * Notes a record, of a change or a heartbeat.
   *
   * @param lateNanos how much longer than usual it has been under way
   */
  void read(TopicPartition partition, long offset, long lateNanos) {
    Round last = before;
    Long end = last == null ? null : last.ends.get(partition);
    if (last != null && end != null && offset >= end) {
      long created = ticker.getAsLong() - lateNanos;
      sign = created - last.asked < 0 ? created : last.asked;
    }
  }

  /** Notes by how much the connector was behind as it wrote the last change. */
  void delayed(long millis) {
    delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    delayRead = ticker.getAsLong();
  }

  /**
   * The age of completeness in nanoseconds, if the round has been read to its end, which this then
   * ends; -1 if it has not, or the connector has given no sign yet.
   *
   * @param position the offset of the next record of a partition
   */
  long age(ToLongFunction<TopicPartition> position) {
    Round now = round;
    if (now == null
        || !now.ends.entrySet().stream()
            .allMatch(end -> position.applyAsLong(end.getKey()) >= end.getValue())) {
      return -1;
    }
    round = null;
    before = now;
    Long worked = now.sign;
    if (needsSigns && worked == null) {
      return -1;
    }
    long asOf = needsSigns && worked != null && worked - now.asked < 0 ? worked : now.asked;
    return ticker.getAsLong() - asOf + delayLeft();
  }

  /**
   * A connector that was behind writes the changes of the time between; if it writes none for as
   * long, there are none.
   */
  private long delayLeft() {
    return Math.max(0, delayNanos - (ticker.getAsLong() - delayRead));
  }

  /**
   * A question for the ends.
   *
   * @param asked the moment before it
   * @param ends the answer
   * @param sign the last sign that was read before it, null for none
   */
  private record Round(long asked, Map<TopicPartition, Long> ends, @Nullable Long sign) {}
}
