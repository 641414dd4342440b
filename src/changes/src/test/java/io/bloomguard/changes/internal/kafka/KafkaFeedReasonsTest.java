package io.bloomguard.changes.internal.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.changes.HeardChanges;
import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.StoreUnavailableException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator is told of a topic that cannot be read. */
class KafkaFeedReasonsTest {

  private static String why(Supplier<Consumer<byte[], byte[]>> consumers) {
    HeardChanges heard = new HeardChanges();
    FeedTopics topics = new FeedTopics("products", "shop.products", null, null);
    try (KafkaFeed feed =
        new KafkaFeed(
            topics,
            new ChangeRecords(ChangeRecords.Format.AUTO, List.of("id"), ""),
            consumers,
            () -> MockAdminClient.create().build())) {
      feed.start(heard);
      await().until(() -> heard.why != null);
      return String.valueOf(heard.why);
    }
  }

  @Test
  void aTopicThatDoesNotExistIsNamed() {
    assertThat(why(() -> new MockConsumer<>("none"))).contains("'shop.products'", "does not exist");
  }

  /** Memory may be short for a moment. */
  @Test
  void anErrorEndsNoFeed() {
    AtomicInteger tries = new AtomicInteger();
    assertThat(
            why(
                () -> {
                  if (tries.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("of a test");
                  }
                  return new MockConsumer<>("none");
                }))
        .contains("OutOfMemoryError");
  }

  /** As its consumer wraps what is thrown as partitions are assigned. */
  @Test
  void whatTheFilterSaysIsNotHiddenByKafka() {
    assertThat(
            why(
                () -> {
                  throw new KafkaException(
                      "User rebalance callback throws an error",
                      new StoreUnavailableException(
                          "there is no head yet", new IllegalStateException("quotes a key")));
                }))
        .contains("there is no head yet")
        .doesNotContain("quotes a key");
  }

  /** A leader that lacked records was elected, and has others in their place by now. */
  @ParameterizedTest
  @ValueSource(longs = {4, 9})
  void aLogThatWasCutIsABeginWithoutKnowledge(long end) {
    TopicPartition partition = new TopicPartition("shop.products", 0);
    MockAdminClient admin = MockAdminClient.create().build();
    admin.createTopics(List.of(new NewTopic(partition.topic(), 1, (short) 1)));
    admin.updateEndOffsets(Map.of(partition, 5L));
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    consumer.updateBeginningOffsets(Map.of(partition, 0L));
    HeardChanges heard = new HeardChanges();
    FeedTopics topics = new FeedTopics("products", partition.topic(), null, null);
    try (KafkaFeed feed =
        new KafkaFeed(
            topics,
            new ChangeRecords(ChangeRecords.Format.AUTO, List.of("id"), ""),
            () -> consumer,
            () -> admin)) {
      feed.start(heard);
      await().until(() -> heard.completed > 0);
      admin.updateEndOffsets(Map.of(partition, end));
      if (end > 5) {
        consumer.setPollException(
            new LogTruncationException(
                Map.of(partition, 5L), Map.of(partition, new OffsetAndMetadata(3))));
      }
      await().until(() -> heard.begins.size() == 2);
    }
    assertThat(heard.begins.get(1)).endsWith("/0:" + end);
    assertThat(heard.why).isNull();
  }
}
