package io.bloomguard.changes.internal.kafka;

import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeReceiver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
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

  /** The identity of the topic that is read. */
  private String topic = "";

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
      ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
      ChangeReceiver.Reading now = reading;
      if (now != null) {
        apply(now, polled);
        completeIfDone(now);
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
    ChangeReceiver.Reading begun = receiver.begin();
    // Before its offsets, which so are never those of an earlier one.
    topic = log.describe().id();
    // Those of open transactions are still to come.
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    TreeMap<Integer, Long> first = ofTopic(consumer.beginningOffsets(partitions));
    TreeMap<Integer, Long> last = ofTopic(ends);
    ends.forEach(consumer::seek);
    TopicPositions known = TopicPositions.parse(begun.position());
    if (known != null && known.topic().equals(topic) && known.areWithin(first, last)) {
      // A partition that is new has no record that was read before.
      first.forEach(
          (partition, offset) ->
              consumer.seek(
                  new TopicPartition(topics.topic(), partition),
                  known.offsets().getOrDefault(partition, offset)));
      applied = known.text();
    } else {
      applied = new TopicPositions(topic, last).text();
      begun.beginAt(applied);
    }
    completeness = newCompleteness();
    reading = begun;
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    reading = null;
  }

  private TreeMap<Integer, Long> ofTopic(Map<TopicPartition, Long> offsets) {
    TreeMap<Integer, Long> own = new TreeMap<>();
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
    String position = position();
    if (!position.equals(applied)) {
      now.apply(changes, position);
      applied = position;
      completeness.delayed(records.delayMillis());
    }
  }

  private String position() {
    TreeMap<Integer, Long> next = new TreeMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      if (partition.topic().equals(topics.topic())) {
        next.put(partition.partition(), consumer.position(partition));
      }
    }
    return new TopicPositions(topic, next).text();
  }

  private void completeIfDone(ChangeReceiver.Reading now) {
    long moment = System.nanoTime();
    if (completeness.isDue() && moment - roundBegan >= ROUND_NANOS) {
      roundBegan = moment;
      TopicLog.Described described = log.describe();
      if (!described.id().equals(topic)) {
        throw new UnknownTopicOrPartitionException("The topic was deleted and made again");
      }
      if (described.partitions().size() > consumer.assignment().size()) {
        // Not complete without them, which the group is about to be given.
        if (topics.group() == null) {
          assign(described.partitions());
        }
        return;
      }
      completeness.begin(moment, log.ends(consumer.assignment()));
    }
    long age = completeness.age(consumer::position);
    if (age >= 0) {
      now.complete(Duration.ofNanos(age));
    }
  }
}
