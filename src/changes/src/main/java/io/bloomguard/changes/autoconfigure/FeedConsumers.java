package io.bloomguard.changes.autoconfigure;

import io.bloomguard.changes.internal.kafka.FeedTopics;
import io.bloomguard.changes.internal.kafka.OneReaderAssignor;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/**
 * The consumers of a feed, and what asks their brokers for topics: as the application's consumers,
 * but for what a feed decides.
 */
final class FeedConsumers {

  /** The shortest that a broker allows by default: so long after its last sign a reader is gone. */
  private static final int SESSION_MILLIS = 6_000;

  private static final int SIGN_MILLIS = 1_500;

  /** Bounds the memory of a batch, and the time of its writes. */
  private static final int BATCH = 5_000;

  /** Behind a fetch that waits, a question for the ends of partitions waits too. */
  private static final int FETCH_WAIT_MILLIS = 100;

  /** The longest time for a batch: before it, all values may have to be searched for. */
  private static final int BATCH_MILLIS = 300_000;

  private static final int ANSWER_MILLIS = 3_000;
  private static final int CALL_MILLIS = 4_000;

  /** A new partition is noticed after it, and the feed is not complete until then. */
  private static final int METADATA_MILLIS = 2_000;

  private final Map<String, Object> settings;

  private FeedConsumers(Map<String, Object> settings) {
    this.settings = settings;
  }

  /** Whether the application has a consumer factory. */
  static boolean isPossible(ListableBeanFactory beans) {
    return beans.getBeanNamesForType(ConsumerFactory.class).length > 0;
  }

  static FeedConsumers of(ListableBeanFactory beans, FeedTopics topics) {
    ObjectProvider<ConsumerFactory> factories = beans.getBeanProvider(ConsumerFactory.class);
    ConsumerFactory<?, ?> application =
        factories.getIfUnique(() -> factories.stream().findFirst().orElseThrow());
    Map<String, Object> settings = new HashMap<>(application.getConfigurationProperties());
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "bloomguard-changes-" + topics.filter());
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, BATCH);
    settings.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, BATCH_MILLIS);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MILLIS);
    settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, CALL_MILLIS);
    settings.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, METADATA_MILLIS);
    settings.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    if (topics.group() != null) {
      settings.put(ConsumerConfig.GROUP_ID_CONFIG, topics.group());
      settings.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
      settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_MILLIS);
      settings.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, SIGN_MILLIS);
      settings.put(
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, OneReaderAssignor.class.getName());
    }
    return new FeedConsumers(settings);
  }

  /** A consumer that reads committed records from where it is told to. */
  Consumer<byte[], byte[]> consumer() {
    return new DefaultKafkaConsumerFactory<>(
            settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())
        .createConsumer();
  }

  /** The same connections. Settings that neither knows are those of an application's classes. */
  Admin admin() {
    Map<String, Object> own = new HashMap<>(settings);
    own.keySet()
        .removeIf(
            name ->
                ConsumerConfig.configNames().contains(name)
                    && !AdminClientConfig.configNames().contains(name));
    return Admin.create(own);
  }
}
