package io.bloomguard.changes.internal.kafka;

import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeReceiver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** One consumer's reading of the topics of a feed, until it fails. Used by one thread. */
final class TopicReading implements ConsumerRebalanceListener {

  private static final Duration POLL = Duration.ofMillis(100);

  /** The time between two questions for the ends of the partitions. */
  private static final long ROUND_NANOS = Duration.ofMillis(400).toNanos();

  private final FeedTopics topics;
  private final TopicLog log;
  private final ChangeRecords records;
  private final ChangeReceiver receiver;
  private final Consumer<byte[], byte[]> consumer;
  private final Lateness lateness;
  private Completeness completeness;
  private long roundBegan;

  /** Null while another process reads. */
  private ChangeReceiver.@Nullable Reading reading;

  /** The next records of the topic. */
  private TopicPositions next = new TopicPositions("", new TreeMap<>());

  private String applied = "";

  /**
   * @param lateness of the records that this process has read
   */
  TopicReading(
      FeedTopics topics,
      TopicLog log,
      ChangeRecords records,
      ChangeReceiver receiver,
      Consumer<byte[], byte[]> consumer,
      Lateness lateness) {
    this.topics = topics;
    this.log = log;
    this.records = records;
    this.receiver = receiver;
    this.consumer = consumer;
    this.lateness = lateness;
    this.completeness = newCompleteness();
  }

  private Completeness newCompleteness() {
    return new Completeness(topics.heartbeats() != null, System::nanoTime);
  }

  void run(BooleanSupplier closed) {
    if (topics.group() == null) {
      assign(log.describe().partitions());
    } else {
      consumer.subscribe(topics.all(), this);
    }
    while (!closed.getAsBoolean()) {
      try {
        ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
        ChangeReceiver.Reading now = reading;
        if (now != null) {
          apply(now, polled);
          completeIfDone(now);
        }
      } catch (OffsetOutOfRangeException e) {
        // As after an unclean election: records that were read are gone, and others in their place.
        begin(consumer.assignment(), false);
      }
    }
  }

  private void assign(List<TopicPartition> all) {
    consumer.assign(all);
    onPartitionsAssigned(all);
  }

  /** All partitions of the topics, or none: another process reads then. */
  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      reading = null;
      return;
    }
    if (partitions.stream().noneMatch(partition -> partition.topic().equals(topics.topic()))) {
      throw new UnknownTopicOrPartitionException("The topic does not exist");
    }
    begin(partitions, true);
  }

  /**
   * @param continues whether at the position that the filter has, if it is one of this log
   */
  private void begin(Collection<TopicPartition> partitions, boolean continues) {
    ChangeReceiver.Reading begun = receiver.begin();
    // Before its offsets, which so are never those of an earlier one.
    String topic = log.describe().id();
    // Those of open transactions are still to come.
    Map<TopicPartition, OffsetAndMetadata> ends =
        log.ends(partitions, IsolationLevel.READ_COMMITTED);
    ends.forEach(consumer::seek);
    next = new TopicPositions(topic, ofTopic(ends));
    TreeMap<Integer, Long> first = ofTopic(consumer.beginningOffsets(partitions));
    TopicPositions known = TopicPositions.parse(begun.position());
    if (continues
        && known != null
        && known.topic().equals(topic)
        && known.areWithin(first, next.offsets())) {
      // A partition that is new has no record that was read before.
      first.forEach(
          (partition, offset) -> {
            OffsetAndMetadata at =
                known.offsets().getOrDefault(partition, new OffsetAndMetadata(offset));
            consumer.seek(new TopicPartition(topics.topic(), partition), at);
            next.offsets().put(partition, at);
          });
      applied = known.text();
    } else {
      applied = next.text();
      begun.beginAt(applied);
    }
    completeness = newCompleteness();
    reading = begun;
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    reading = null;
  }

  private <T> TreeMap<Integer, T> ofTopic(Map<TopicPartition, T> offsets) {
    TreeMap<Integer, T> own = new TreeMap<>();
    offsets.forEach(
        (partition, offset) -> {
          if (partition.topic().equals(topics.topic())) {
            own.put(partition.partition(), offset);
          }
        });
    return own;
  }

  private void apply(ChangeReceiver.Reading now, ConsumerRecords<byte[], byte[]> polled) {
    List<Change> changes = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> each : polled) {
      TopicPartition partition = new TopicPartition(each.topic(), each.partition());
      if (each.topic().equals(topics.topic())) {
        records.read(each.key(), each.value(), changes);
      }
      completeness.read(partition, each.offset(), lateness.nanosOf(each.timestamp()));
    }
    next.offsets().putAll(ofTopic(polled.nextOffsets()));
    String position = next.text();
    if (!position.equals(applied)) {
      now.apply(changes, position);
      applied = position;
      completeness.delayed(records.delayMillis());
    }
  }

  private void completeIfDone(ChangeReceiver.Reading now) {
    long moment = System.nanoTime();
    if (completeness.isDue() && moment - roundBegan >= ROUND_NANOS) {
      roundBegan = moment;
      TopicLog.Described described = log.describe();
      if (!described.id().equals(next.topic())) {
        throw new UnknownTopicOrPartitionException("The topic was deleted and made again");
      }
      if (described.partitions().size() > consumer.assignment().size()) {
        // Not complete without them, which the group is about to be given.
        if (topics.group() == null) {
          assign(described.partitions());
        }
        return;
      }
      Map<TopicPartition, Long> ends = new HashMap<>();
      log.ends(consumer.assignment(), IsolationLevel.READ_UNCOMMITTED)
          .forEach((partition, end) -> ends.put(partition, end.offset()));
      ends.forEach(this::requireWithin);
      completeness.begin(moment, ends);
    }
    long age = completeness.age(consumer::position);
    if (age >= 0) {
      now.complete(Duration.ofNanos(age));
    }
  }

  /** The consumer finds out later: its leader may be the one of before. */
  private void requireWithin(TopicPartition partition, long end) {
    long position = consumer.position(partition);
    if (position > end) {
      throw new OffsetOutOfRangeException("The log was cut", Map.of(partition, position));
    }
  }
}
