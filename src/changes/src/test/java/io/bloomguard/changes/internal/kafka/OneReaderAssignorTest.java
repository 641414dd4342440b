package io.bloomguard.changes.internal.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OneReaderAssignorTest {

  private static final Cluster CLUSTER =
      new Cluster(
          "c",
          List.of(new Node(0, "h", 1)),
          List.of(partition("t", 0), partition("t", 1), partition("beats", 0)),
          Set.of(),
          Set.of());

  private static PartitionInfo partition(String topic, int number) {
    return new PartitionInfo(topic, number, new Node(0, "h", 1), new Node[0], new Node[0]);
  }

  private static Subscription member(OneReaderAssignor assignor) {
    return new Subscription(List.of("t", "beats"), assignor.subscriptionUserData(Set.of("t")));
  }

  @Test
  void theReaderStaysTheReader() {
    OneReaderAssignor a = new OneReaderAssignor();
    OneReaderAssignor b = new OneReaderAssignor();
    Map<String, Assignment> first =
        a.assign(CLUSTER, new GroupSubscription(Map.of("b", member(b)))).groupAssignment();
    assertThat(first.get("b").partitions())
        .containsExactlyInAnyOrder(
            new TopicPartition("t", 0), new TopicPartition("t", 1), new TopicPartition("beats", 0));
    b.onAssignment(first.get("b"), new ConsumerGroupMetadata("g"));

    Map<String, Assignment> second =
        a.assign(CLUSTER, new GroupSubscription(Map.of("a", member(a), "b", member(b))))
            .groupAssignment();
    assertThat(second.get("a").partitions()).isEmpty();
    assertThat(second.get("b").partitions()).hasSize(3);

    Map<String, Assignment> third =
        a.assign(CLUSTER, new GroupSubscription(Map.of("a", member(a)))).groupAssignment();
    assertThat(third.get("a").partitions()).hasSize(3);
  }
}
