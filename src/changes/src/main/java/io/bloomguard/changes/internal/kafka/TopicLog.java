package io.bloomguard.changes.internal.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a feed as the brokers have them now, which a consumer does not tell: the identity
 * of the topic, its partitions, and their ends.
 */
final class TopicLog {

  private final FeedTopics topics;
  private final Admin admin;

  TopicLog(FeedTopics topics, Admin admin) {
    this.topics = topics;
    this.admin = admin;
  }

  /** The topics at this moment. Those of the heartbeats may not exist yet. */
  Described describe() {
    Map<String, KafkaFuture<TopicDescription>> asked =
        admin.describeTopics(topics.all()).topicNameValues();
    TopicDescription own = known(asked, topics.topic());
    if (own == null) {
      throw new UnknownTopicOrPartitionException("The topic does not exist");
    }
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : topics.all()) {
      TopicDescription known = known(asked, topic);
      if (known != null) {
        known
            .partitions()
            .forEach(each -> partitions.add(new TopicPartition(topic, each.partition())));
      }
    }
    return new Described(own.topicId().toString(), partitions);
  }

  private static @Nullable TopicDescription known(
      Map<String, KafkaFuture<TopicDescription>> asked, String topic) {
    try {
      return answer(Objects.requireNonNull(asked.get(topic)));
    } catch (UnknownTopicOrPartitionException e) {
      return null;
    }
  }

  /**
   * The offsets behind the last records, with the epochs of the leaders.
   *
   * @param level whether also behind those of open transactions
   */
  Map<TopicPartition, OffsetAndMetadata> ends(
      Collection<TopicPartition> partitions, IsolationLevel level) {
    Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
    answer(
            admin
                .listOffsets(
                    partitions.stream()
                        .collect(Collectors.toMap(Function.identity(), any -> OffsetSpec.latest())),
                    new ListOffsetsOptions(level))
                .all())
        .forEach(
            (partition, end) ->
                ends.put(partition, new OffsetAndMetadata(end.offset(), end.leaderEpoch(), "")));
    return ends;
  }

  private static <T> T answer(KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException told ? told : new KafkaException(e.getCause());
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  /**
   * The topics of a feed.
   *
   * @param id the identity of the topic of changes: one that is made again has another
   * @param partitions the partitions of all topics
   */
  record Described(String id, List<TopicPartition> partitions) {}
}
