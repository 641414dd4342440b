package io.bloomguard.changes.autoconfigure;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.ChangesProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.changes.internal.kafka.FeedTopics;
import io.bloomguard.changes.internal.kafka.KafkaFeed;
import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.FeedBackend;
import io.bloomguard.guard.StartRefusedException;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Feeds from Kafka, by the application's own {@code spring.kafka.*}. */
final class KafkaFeedBackend implements FeedBackend {

  static final String LIBRARY = "org.springframework.kafka.core.ConsumerFactory";

  private static final boolean PRESENT =
      ClassUtils.isPresent(LIBRARY, KafkaFeedBackend.class.getClassLoader());

  private static final Logger log = LoggerFactory.getLogger(KafkaFeedBackend.class);

  private final BloomguardProperties properties;
  private final ListableBeanFactory beans;

  KafkaFeedBackend(BloomguardProperties properties, ListableBeanFactory beans) {
    this.properties = properties;
    this.beans = beans;
  }

  @Override
  public String name() {
    return ChangesProperties.KAFKA;
  }

  @Override
  public ChangeFeed feed(String filter, boolean shared) {
    requireLibrary(filter);
    SourceProperties source = properties.filter(filter).source();
    ChangesProperties changes = Objects.requireNonNull(source.changes());
    String heartbeats = changes.heartbeatTopic().isBlank() ? null : changes.heartbeatTopic();
    if (heartbeats == null) {
      log.warn(
          "Filter '{}': a connector that stands still is not noticed, because"
              + " bloomguard.filters.{}.source.changes.heartbeat-topic is not set",
          filter,
          filter);
    }
    String group = properties.redis().keyPrefix() + "-" + filter + "-changes";
    ChangeRecords.Format format = format(changes);
    KafkaFeed feed =
        feed(new FeedTopics(filter, changes.topic(), heartbeats, shared ? group : null), changes);
    if (format == ChangeRecords.Format.AUTO || format == ChangeRecords.Format.DEBEZIUM) {
      // Records of other forms name no transaction, so a question would be for nothing.
      feed.know(FeedAddresses.transactions(source, beans));
    }
    return feed;
  }

  /** Without a group, and without heartbeats: those are for an age, which it has none of. */
  @Override
  public ChangeFeed feedBeside(String filter) {
    ChangesProperties changes =
        Objects.requireNonNull(properties.filter(filter).source().changes());
    return feed(new FeedTopics(filter, changes.topic(), null, null), changes);
  }

  private KafkaFeed feed(FeedTopics topics, ChangesProperties changes) {
    ChangeRecords records = new ChangeRecords(format(changes), changes.key(), changes.table());
    FeedConsumers consumers = FeedConsumers.of(beans, topics);
    return new KafkaFeed(topics, records, consumers::consumer, consumers::admin);
  }

  private static ChangeRecords.Format format(ChangesProperties changes) {
    return ChangeRecords.Format.valueOf(changes.format().name());
  }

  private void requireLibrary(String filter) {
    if (!PRESENT || !FeedConsumers.isPossible(beans)) {
      throw new StartRefusedException(
          "Filter '"
              + filter
              + "' has source.changes.from: kafka, which needs Spring Kafka and its consumer"
              + " factory; this application has none",
          "Add org.springframework.boot:spring-boot-starter-kafka and set"
              + " spring.kafka.bootstrap-servers.");
    }
  }
}
