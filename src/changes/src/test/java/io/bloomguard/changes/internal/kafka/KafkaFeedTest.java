package io.bloomguard.changes.internal.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.changes.ChangeFeedContractTest;
import io.bloomguard.changes.TestKafka;
import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.Change;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A feed from a real Kafka. In real time: a broker gives its consumers their partitions, and a feed
 * looks whether it is at their end, at intervals.
 */
@Tag("waits")
class KafkaFeedTest extends ChangeFeedContractTest {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static TestKafka kafka;

  private final String topic = "changes-" + NAMES.incrementAndGet();

  @BeforeAll
  static void start() {
    kafka = new TestKafka();
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @BeforeEach
  void makeTopic() {
    kafka.topic(topic, 2);
  }

  @Override
  protected KafkaFeed feed(boolean shared) {
    return feed(kafka, null, shared ? topic : null);
  }

  @Override
  protected void insert(long id) throws Exception {
    kafka.send(topic, TestKafka.inserted(id));
  }

  @Override
  protected void update(long id) throws Exception {
    kafka.send(topic, 0, "{\"id\":" + id + "}", TestKafka.updated(id));
  }

  @Override
  protected void changeKey(long from, long to) throws Exception {
    delete(from);
    insert(to);
  }

  @Override
  protected void delete(long id) throws Exception {
    kafka.send(topic, TestKafka.deleted(id));
  }

  @Override
  protected void truncate() throws Exception {
    kafka.send(topic, TestKafka.truncated());
  }

  @Override
  protected void lose() throws Exception {
    insert(1);
    kafka.trim(topic, 1);
  }

  @Override
  protected void replace() throws Exception {
    kafka.makeAgain(topic, 2);
  }

  @Override
  protected void outgrow() throws Exception {
    for (int id = 10; id < 20; id++) {
      insert(id);
    }
  }

  private Consumer<byte[], byte[]> consumer(TestKafka from, @Nullable String group) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", from.address());
    settings.put("enable.auto.commit", false);
    settings.put("auto.offset.reset", "none");
    settings.put("fetch.max.wait.ms", 50);
    settings.put("isolation.level", "read_committed");
    settings.put("metadata.max.age.ms", 500);
    settings.put("request.timeout.ms", 1_500);
    settings.put("default.api.timeout.ms", 2_000);
    if (group != null) {
      settings.put("group.id", group);
      settings.put("session.timeout.ms", 1_000);
      settings.put("heartbeat.interval.ms", 200);
      settings.put("partition.assignment.strategy", OneReaderAssignor.class.getName());
    }
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private KafkaFeed feed(TestKafka from, @Nullable String heartbeats, @Nullable String group) {
    return new KafkaFeed(
        new FeedTopics("products", topic, heartbeats, group),
        new ChangeRecords(ChangeRecords.Format.AUTO, List.of("id"), ""),
        () -> consumer(from, group),
        () ->
            Admin.create(
                Map.of(
                    "bootstrap.servers",
                    from.address(),
                    "request.timeout.ms",
                    1_500,
                    "default.api.timeout.ms",
                    2_000)));
  }

  /** The position that has these offsets. */
  private String at(String offsets) throws Exception {
    return kafka.id(topic) + "/" + offsets;
  }

  @Test
  void itBeginsAtThePresentEndWhereNoPositionIsKnown() throws Exception {
    kafka.send(topic, TestKafka.inserted(1));
    begun();
    assertThat(heard.begins).containsExactly(at("0:1:0,1:0:0"));
    kafka.send(topic, TestKafka.inserted(2));
    kafka.send(topic, 1, null, TestKafka.deleted(3));
    await().until(() -> heard.changes.size() == 2);
    assertThat(heard.changes).containsExactlyInAnyOrder(Change.inserted(2L), Change.deleted(3L));
    await().until(() -> at("0:2:0,1:1:0").equals(heard.position));
    assertThat(heard.why).isNull();
  }

  @Test
  void itContinuesAtThePositionThatTheFilterHas() throws Exception {
    for (int i = 1; i <= 3; i++) {
      kafka.send(topic, TestKafka.inserted(i));
    }
    kafka.send(topic, 1, null, TestKafka.inserted(9));
    // Of a topic that had one partition then.
    heard.position = at("0:1");
    begun();
    assertThat(heard.changes)
        .containsExactlyInAnyOrder(Change.inserted(2L), Change.inserted(3L), Change.inserted(9L));
    assertThat(heard.begins).isEmpty();
  }

  @Test
  void aTrimmedTopicIsAGap() throws Exception {
    for (int i = 1; i <= 3; i++) {
      kafka.send(topic, TestKafka.inserted(i));
    }
    kafka.trim(topic, 2);
    heard.position = at("0:1,1:0");
    begun();
    assertThat(heard.begins).containsExactly(at("0:3:0,1:0:0"));
    assertThat(heard.changes).isEmpty();
  }

  @Test
  void aTopicThatWasMadeAgainIsAGap() throws Exception {
    heard.position = at("0:700,1:0");
    begun();
    assertThat(heard.begins).containsExactly(at("0:0:0,1:0:0"));
  }

  /** As an earlier version has stored it. */
  @Test
  void aPositionWithoutTheIdentityOfItsTopicIsAGap() throws Exception {
    insert(1);
    heard.position = "0:1,1:0";
    begun();
    assertThat(heard.begins).containsExactly(at("0:1:0,1:0:0"));
  }

  @Test
  void aTopicThatIsMadeAgainWhileItIsReadIsAGap() throws Exception {
    insert(1);
    begun();
    replace();
    outgrow();
    soon().until(() -> heard.begins.size() == 2);
    insert(2);
    untilHeard(Change.inserted(2L));
  }

  /** What is acknowledged there is not complete before that. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aNewPartitionIsReadFromItsBegin(boolean shared) throws Exception {
    started(feed(shared), heard);
    soon().until(() -> heard.completed > 0);
    kafka.send(topic, TestKafka.inserted(1));
    kafka.grow(topic, 3);
    kafka.send(topic, 2, null, TestKafka.inserted(2));
    long acknowledged = System.nanoTime();
    soon().until(() -> heard.completeUntil - acknowledged > 0);
    assertThat(heard.changes).containsExactlyInAnyOrder(Change.inserted(1L), Change.inserted(2L));
    assertThat(heard.begins).hasSize(1);
  }

  @Test
  void aTombstoneStopsNothing() throws Exception {
    begun();
    kafka.send(topic, 0, "{\"id\":1}", TestKafka.deleted(1));
    kafka.send(topic, 0, "{\"id\":1}", null);
    kafka.send(topic, TestKafka.inserted(2));
    await().until(() -> heard.changes.contains(Change.inserted(2L)));
    assertThat(heard.changes).containsExactly(Change.deleted(1L), Change.inserted(2L));
  }

  @Test
  void aRecordInAnUnknownFormStopsTheFeed() throws Exception {
    begun();
    kafka.send(topic, "{\"name\":\"secret\"}");
    kafka.send(topic, TestKafka.inserted(2));
    await().until(() -> heard.why != null);
    assertThat(heard.why)
        .contains("stopped", topic, "neither Debezium, Canal nor Maxwell", "source.changes.format")
        .doesNotContain("secret");
    await()
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("bloomguard-changes-products")));
    assertThat(heard.changes).isEmpty();
    assertThat(heard.position).isEqualTo(at("0:0:0,1:0:0"));
  }

  @Test
  void withoutHeartbeatsOfTheConnectorItIsNotComplete() throws Exception {
    String beats = topic + "-beats";
    kafka.topic(beats, 1);
    started(feed(kafka, beats, null), heard);
    await().until(() -> heard.begins.size() == 1);
    kafka.send(topic, TestKafka.inserted(1));
    await().until(() -> heard.changes.contains(Change.inserted(1L)));
    await()
        .until(
            () -> {
              kafka.send(beats, "{\"ts_ms\":1}");
              return heard.completed > 0;
            });
    assertThat(heard.changes).hasSize(1);
  }

  /** Its producer may have died. */
  @Test
  void recordsBehindAnOpenTransactionAreNotComplete() throws Exception {
    begun();
    try (KafkaProducer<byte[], byte[]> open = kafka.transactional(topic)) {
      open.beginTransaction();
      open.send(new ProducerRecord<>(topic, 0, null, TestKafka.inserted(1).getBytes(UTF_8))).get();
      insert(2);
      long acknowledged = System.nanoTime();
      await()
          .during(Duration.ofSeconds(1))
          .until(() -> heard.completeUntil - acknowledged < 0 && heard.changes.isEmpty());
      open.abortTransaction();
      untilHeard(Change.inserted(2L));
      soon().until(() -> heard.completeUntil - acknowledged > 0);
    }
    assertThat(heard.changes).containsExactly(Change.inserted(2L));
    assertThat(heard.begins).hasSize(1);
  }

  @Test
  void aBrokerThatIsGoneIsToldOf() throws Exception {
    try (TestKafka gone = new TestKafka()) {
      gone.topic(topic, 2);
      started(feed(gone, null, null), heard);
      await().until(() -> heard.completed > 0);
      gone.stopBroker();
      await().atMost(Duration.ofSeconds(30)).until(() -> heard.why != null);
      assertThat(heard.why).contains("could not be read");
    }
  }
}
