package io.bloomguard.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** A broker in a process of its own, which also writes many records when it is told to. */
final class KafkaNode implements AutoCloseable {

  static final String TOPIC = "shop.public.products";

  /** That of every record. */
  static final String TRANSACTION = "740";

  private static final String READY = "broker: ";
  private static final String SENT = "sent";

  private final Process process;
  private final BufferedReader output;
  private final String address;

  /** Starts one, and returns once it takes records. */
  KafkaNode() {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-classpath",
            System.getProperty("java.class.path"),
            KafkaNode.class.getName());
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      output = process.inputReader();
      address = await(READY);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String await(String beginning) throws IOException {
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith(beginning)) {
        return line.substring(beginning.length());
      }
    }
    throw new IllegalStateException("The process of the broker has ended");
  }

  String address() {
    return address;
  }

  /** Has it write the inserts of keys, and returns once they have been acknowledged. */
  void insert(long from, int count) {
    try {
      process.outputWriter().write(from + " " + count + "\n");
      process.outputWriter().flush();
      await(SENT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static KafkaProducer<byte[], byte[]> producer(String address) {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", address, "linger.ms", "0"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /** The record of an insert as Debezium writes it, without a schema. */
  static ProducerRecord<byte[], byte[]> inserted(long key) {
    long now = System.currentTimeMillis();
    String value =
        "{\"before\":null,\"after\":{\"id\":"
            + key
            + ",\"name\":\"Classic brass clock No. "
            + key
            + "\",\"price\":\"354.97\"},\"source\":{\"version\":\"3.4.0.Final\",\"connector\":"
            + "\"postgresql\",\"name\":\"shop\",\"ts_ms\":"
            + now
            + ",\"snapshot\":\"false\",\"db\":\"shop\",\"schema\":\"public\",\"table\":\"products\","
            + "\"txId\":"
            + TRANSACTION
            + ",\"lsn\":24063392,\"xmin\":null},\"op\":\"c\",\"ts_ms\":"
            + now
            + "}";
    byte[] name = ("{\"id\":" + key + "}").getBytes(UTF_8);
    return new ProducerRecord<>(TOPIC, 0, name, value.getBytes(UTF_8));
  }

  @Override
  public void close() {
    ChildProcess.end(process);
  }

  /** Is the broker until its input ends, as it does when the other process does. */
  public static void main(String[] args) throws Exception {
    EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1);
    broker.brokerProperty("group.initial.rebalance.delay.ms", "0");
    broker.afterPropertiesSet();
    broker.addTopics(new NewTopic(TOPIC, 1, (short) 1));
    try (KafkaProducer<byte[], byte[]> producer = producer(broker.getBrokersAsString())) {
      System.out.println(READY + broker.getBrokersAsString());
      BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = orders.readLine(); line != null; line = orders.readLine()) {
        String[] words = line.split(" ", -1);
        long from = Long.parseLong(words[0]);
        for (long key = from; key < from + Long.parseLong(words[1]); key++) {
          producer.send(inserted(key));
        }
        producer.flush();
        System.out.println(SENT);
      }
      producer.close(Duration.ZERO);
    }
    broker.destroy();
    System.exit(0);
  }
}
