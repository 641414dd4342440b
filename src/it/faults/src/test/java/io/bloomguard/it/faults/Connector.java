package io.bloomguard.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A program that writes committed changes to Kafka in the envelopes of Debezium, in their order,
 * and a heartbeat behind them once a second.
 */
final class Connector implements FeedWay {

  /** Writers wait beyond it, as a database's log has no such bound: one for all of a fault. */
  private static final int LONGEST = 100_000;

  private static final int BATCH = 500;

  private final BlockingQueue<Rows.Change> queue = new ArrayBlockingQueue<>(LONGEST);
  private final KafkaProcess kafka = new KafkaProcess();
  private final KafkaProducer<byte[], byte[]> producer;
  private final Thread thread = new Thread(this::run, "connector");
  private volatile boolean stands;
  private volatile boolean closed;

  Connector() throws Exception {
    Properties settings = new Properties();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.address());
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 300_000);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 3_000);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 300_000);
    producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    thread.setDaemon(true);
    thread.start();
  }

  KafkaProcess kafka() {
    return kafka;
  }

  @Override
  public List<String> arguments(int shop) {
    List<String> arguments = new ArrayList<>();
    arguments.add("--spring.kafka.bootstrap-servers=" + kafka.shops());
    for (String filter : FeedWorld.FILTERS) {
      String changes = "--bloomguard.filters." + filter + ".source.changes.";
      arguments.add(changes + "from=kafka");
      arguments.add(changes + "topic=" + KafkaProcess.CHANGES);
      arguments.add(changes + "heartbeat-topic=" + KafkaProcess.HEARTBEATS);
    }
    return arguments;
  }

  @Override
  public void committed(Rows.Change change) throws InterruptedException {
    queue.put(change);
  }

  /** Whether it writes nothing until it is told otherwise. */
  void stand(boolean still) {
    stands = still;
  }

  private void run() {
    long beat = 0;
    List<Rows.Change> changes = new ArrayList<>();
    while (!closed) {
      try {
        Rows.Change first = queue.poll(100, TimeUnit.MILLISECONDS);
        while (stands && !closed) {
          Thread.sleep(20);
        }
        if (first != null) {
          changes.add(first);
          queue.drainTo(changes, BATCH);
        }
        for (Rows.Change change : changes) {
          send(KafkaProcess.CHANGES, "{\"id\":" + change.id() + "}", change.envelope());
        }
        if (!changes.isEmpty()) {
          producer.flush();
          changes.clear();
        }
        if (System.nanoTime() - beat > TimeUnit.SECONDS.toNanos(1)) {
          beat = System.nanoTime();
          send(KafkaProcess.HEARTBEATS, "{}", "{\"ts_ms\":" + System.currentTimeMillis() + "}");
        }
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void send(String topic, String key, String value) {
    producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value.getBytes(UTF_8)));
  }

  @Override
  public void close() throws Exception {
    closed = true;
    thread.interrupt();
    producer.close(Duration.ZERO);
    kafka.close();
  }
}
