package io.bloomguard.changes.internal.kafka;

import io.bloomguard.changes.internal.record.ChangeRecords;
import io.bloomguard.changes.internal.record.UnreadableRecordException;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.ChangeReceiver;
import io.bloomguard.generation.FeedTakenException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A feed of changes from a topic, read by one thread. A failure closes the consumer, and the feed
 * begins again after a pause, at the position that the filter has. A record in an unknown form ends
 * it.
 */
public final class KafkaFeed implements ChangeFeed {

  /** The pause before the feed begins again. */
  static final Duration PAUSE = Duration.ofSeconds(1);

  /** The time that the end waits for the thread. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(KafkaFeed.class);

  private final FeedTopics topics;
  private final ChangeRecords records;
  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Consumer<byte[], byte[]> consumer;
  private volatile @Nullable Thread thread;

  /**
   * A feed that does nothing until it is started.
   *
   * @param records reads the records of the topic
   * @param consumers makes a consumer, which this closes
   */
  public KafkaFeed(
      FeedTopics topics, ChangeRecords records, Supplier<Consumer<byte[], byte[]>> consumers) {
    this.topics = topics;
    this.records = records;
    this.consumers = consumers;
  }

  @Override
  public void start(ChangeReceiver receiver) {
    Thread reader = new Thread(() -> run(receiver), "bloomguard-changes-" + topics.filter());
    reader.setDaemon(true);
    thread = reader;
    reader.start();
  }

  private void run(ChangeReceiver receiver) {
    Lateness lateness = new Lateness(System::nanoTime, System::currentTimeMillis);
    do {
      try (Consumer<byte[], byte[]> made = consumers.get()) {
        consumer = made;
        new TopicReading(topics, records, receiver, made, lateness)
            .run(() -> closed.getCount() == 0);
      } catch (UnreadableRecordException e) {
        receiver.failed(
            "The feed has stopped at a record of topic '"
                + topics.topic()
                + "'. "
                + e.getMessage()
                + ". Correct source.changes.format, .table or .key, or skip the record, and"
                + " restart");
        return;
      } catch (WakeupException e) {
        log.debug("Filter '{}': its feed is closed", topics.filter(), e);
      } catch (FeedTakenException e) {
        log.debug("Filter '{}': its feed was taken over", topics.filter(), e);
      } catch (RuntimeException e) {
        receiver.failed(describe(e));
      } finally {
        consumer = null;
      }
    } while (!isClosedWithin(PAUSE));
  }

  /** Without the message of a foreign exception, which may quote a record. */
  private String describe(RuntimeException e) {
    Throwable cause = e;
    while (cause.getCause() != null && !isOurs(cause)) {
      cause = cause.getCause();
    }
    log.debug("Filter '{}': its feed failed", topics.filter(), e);
    String kind = cause.getClass().getName();
    return "topic '"
        + topics.topic()
        + "' could not be read or applied ("
        + (isOurs(cause) || kind.startsWith("org.apache.kafka.common.")
            ? kind + ": " + cause.getMessage()
            : kind)
        + ")";
  }

  private static boolean isOurs(Throwable e) {
    return e.getClass().getName().startsWith("io.bloomguard.");
  }

  private boolean isClosedWithin(Duration time) {
    try {
      return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  @Override
  public void close() {
    closed.countDown();
    Consumer<byte[], byte[]> now = consumer;
    if (now != null) {
      now.wakeup();
    }
    Thread reader = thread;
    if (reader == null) {
      return;
    }
    try {
      reader.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
