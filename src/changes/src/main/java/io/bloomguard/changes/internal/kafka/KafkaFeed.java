package io.bloomguard.changes.internal.kafka;

import io.bloomguard.changes.internal.RestartingFeed;
import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.generation.ChangeReceiver;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A feed of changes from a topic. A failure closes the consumer. */
public final class KafkaFeed extends RestartingFeed {

  private static final Logger log = LoggerFactory.getLogger(KafkaFeed.class);

  private final FeedTopics topics;
  private final ChangeRecords records;
  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private final Supplier<Admin> admins;
  private final Lateness lateness = new Lateness(System::nanoTime, System::currentTimeMillis);
  private volatile @Nullable Consumer<byte[], byte[]> consumer;

  /**
   * A feed that does nothing until it is started.
   *
   * @param records reads the records of the topic
   * @param consumers makes a consumer, which this closes
   * @param admins makes what asks the same brokers for their topics, which this closes
   */
  public KafkaFeed(
      FeedTopics topics,
      ChangeRecords records,
      Supplier<Consumer<byte[], byte[]>> consumers,
      Supplier<Admin> admins) {
    super(topics.filter(), "topic '" + topics.topic() + "'");
    this.topics = topics;
    this.records = records;
    this.consumers = consumers;
    this.admins = admins;
  }

  @Override
  protected void read(ChangeReceiver receiver) {
    try (Consumer<byte[], byte[]> made = consumers.get();
        Admin admin = admins.get()) {
      consumer = made;
      TopicLog log = new TopicLog(topics, admin);
      new TopicReading(topics, log, records, receiver, made, lateness).run(this::isClosed);
    } catch (WakeupException e) {
      log.debug("Filter '{}': its feed is closed", topics.filter(), e);
    } finally {
      consumer = null;
    }
  }

  @Override
  protected boolean isTellable(Throwable failure) {
    return super.isTellable(failure)
        || failure.getClass().getName().startsWith("org.apache.kafka.common.");
  }

  @Override
  protected void wake() {
    Consumer<byte[], byte[]> now = consumer;
    if (now != null) {
      now.wakeup();
    }
  }
}
