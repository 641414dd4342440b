package io.bloomguard.changes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** A Kafka in this process, and a program that writes changes into it. */
public final class TestKafka implements AutoCloseable {

  private final EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1);
  private final KafkaProducer<byte[], byte[]> producer;
  private boolean stopped;

  public TestKafka() {
    broker.brokerProperty("group.initial.rebalance.delay.ms", "0");
    broker.brokerProperty("group.min.session.timeout.ms", "1000");
    broker.brokerProperty("auto.create.topics.enable", "false");
    broker.brokerProperty("transaction.state.log.replication.factor", "1");
    broker.brokerProperty("transaction.state.log.min.isr", "1");
    broker.afterPropertiesSet();
    Properties settings = new Properties();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, address());
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    this.producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  public String address() {
    return broker.getBrokersAsString();
  }

  public void topic(String name, int partitions) {
    broker.addTopics(new NewTopic(name, partitions, (short) 1));
  }

  public void send(String topic, @Nullable String value) throws Exception {
    send(topic, 0, null, value);
  }

  public void send(String topic, int partition, @Nullable String key, @Nullable String value)
      throws Exception {
    producer
        .send(
            new ProducerRecord<>(
                topic,
                partition,
                key == null ? null : key.getBytes(UTF_8),
                value == null ? null : value.getBytes(UTF_8)))
        .get(10, TimeUnit.SECONDS);
  }

  /** A producer of transactions. */
  public KafkaProducer<byte[], byte[]> transactional(String id) {
    Properties settings = new Properties();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, address());
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
    KafkaProducer<byte[], byte[]> transactional =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    transactional.initTransactions();
    return transactional;
  }

  /** The identity of a topic. */
  public String id(String topic) throws Exception {
    try (AdminClient admin = AdminClient.create(Map.of("bootstrap.servers", address()))) {
      return admin
          .describeTopics(List.of(topic))
          .topicNameValues()
          .get(topic)
          .get(10, TimeUnit.SECONDS)
          .topicId()
          .toString();
    }
  }

  /** Deletes a topic, and makes one of the same name. */
  public void makeAgain(String topic, int partitions) throws Exception {
    try (AdminClient admin = AdminClient.create(Map.of("bootstrap.servers", address()))) {
      admin.deleteTopics(List.of(topic)).all().get(10, TimeUnit.SECONDS);
      NewTopic same = new NewTopic(topic, partitions, (short) 1);
      await()
          .ignoreExceptions()
          .untilAsserted(() -> admin.createTopics(List.of(same)).all().get(10, TimeUnit.SECONDS));
    }
  }

  /** Gives a topic more partitions. */
  public void grow(String topic, int partitions) throws Exception {
    try (AdminClient admin = AdminClient.create(Map.of("bootstrap.servers", address()))) {
      admin
          .createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions)))
          .all()
          .get(10, TimeUnit.SECONDS);
    }
  }

  /** Deletes what lies before an offset, as the retention of a topic does. */
  public void trim(String topic, long before) throws Exception {
    try (AdminClient admin = AdminClient.create(Map.of("bootstrap.servers", address()))) {
      admin
          .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(before)))
          .all()
          .get(10, TimeUnit.SECONDS);
    }
  }

  public static String inserted(Object id) {
    return change("c", "null", "{\"id\":" + id + "}");
  }

  public static String updated(Object id) {
    return change("u", "null", "{\"id\":" + id + "}");
  }

  public static String deleted(Object id) {
    return change("d", "{\"id\":" + id + "}", "null");
  }

  public static String truncated() {
    return change("t", "null", "null");
  }

  private static String change(String op, String before, String after) {
    return "{\"before\":"
        + before
        + ",\"after\":"
        + after
        + ",\"source\":{\"db\":\"shop\",\"schema\":\"public\",\"table\":\"products\"},\"op\":\""
        + op
        + "\"}";
  }

  public void stopBroker() {
    if (!stopped) {
      stopped = true;
      broker.destroy();
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
    stopBroker();
  }
}
