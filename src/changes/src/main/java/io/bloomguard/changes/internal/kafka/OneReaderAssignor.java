package io.bloomguard.changes.internal.kafka;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Gives all partitions to one member of a group: the one that had them, while it is there. The
 * others wait to take over.
 */
public final class OneReaderAssignor implements ConsumerPartitionAssignor {

  /** What the member that has the partitions says of itself. */
  private static final byte READS = 1;

  private volatile boolean reads;

  /** Made by Kafka's consumer. */
  public OneReaderAssignor() {}

  @Override
  public String name() {
    return "bloomguard-one-reader";
  }

  @Override
  public ByteBuffer subscriptionUserData(Set<String> topics) {
    return ByteBuffer.wrap(reads ? new byte[] {READS} : new byte[0]);
  }

  @Override
  public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
    reads = !assignment.partitions().isEmpty();
  }

  @Override
  public GroupAssignment assign(Cluster cluster, GroupSubscription group) {
    Map<String, Subscription> members = new TreeMap<>(group.groupSubscription());
    String reader =
        members.entrySet().stream()
            .filter(member -> isReader(member.getValue().userData()))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseGet(() -> members.keySet().iterator().next());
    Map<String, Assignment> assignments = new HashMap<>();
    members.forEach(
        (id, member) ->
            assignments.put(
                id, new Assignment(id.equals(reader) ? all(cluster, member) : List.of())));
    return new GroupAssignment(assignments);
  }

  private static boolean isReader(@Nullable ByteBuffer said) {
    return said != null && said.remaining() == 1 && said.get(said.position()) == READS;
  }

  private static List<TopicPartition> all(Cluster cluster, Subscription member) {
    List<TopicPartition> all = new ArrayList<>();
    for (String topic : new TreeSet<>(member.topics())) {
      for (int i = 0; i < partitions(cluster, topic); i++) {
        all.add(new TopicPartition(topic, i));
      }
    }
    return all;
  }

  private static int partitions(Cluster cluster, String topic) {
    Integer count = cluster.partitionCountForTopic(topic);
    return count == null ? 0 : count;
  }
}
