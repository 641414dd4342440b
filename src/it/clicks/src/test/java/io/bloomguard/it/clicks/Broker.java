package io.bloomguard.it.clicks;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Wait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringSerializer;

/** A Kafka in a process of its own. */
final class Broker implements AutoCloseable {

  private final int port = Processes.freePort();
  private final Process process;

  Broker() throws Exception {
    int controller = Processes.freePort();
    Path folder = Files.createDirectories(Processes.folder().resolve("kafka-" + port));
    Path properties = folder.resolve("server.properties");
    Files.write(
        properties,
        List.of(
            "process.roles=broker,controller",
            "node.id=1",
            "controller.quorum.voters=1@127.0.0.1:" + controller,
            "controller.listener.names=CONTROLLER",
            "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "listeners=CONTROLLER://127.0.0.1:" + controller + ",PLAINTEXT://" + address(),
            "advertised.listeners=PLAINTEXT://" + address(),
            "log.dirs=" + folder.resolve("data"),
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1"));
    String id = Uuid.randomUuid().toString();
    Process format =
        run(folder, "kafka.tools.StorageTool", "format", "-t", id, "-c", properties.toString());
    if (format.waitFor() != 0) {
      throw new IllegalStateException("Kafka's folder is not made: " + folder);
    }
    process = run(folder, "kafka.Kafka", properties.toString());
    Wait.upTo(
        120,
        "Kafka",
        () -> {
          try (Admin admin = admin()) {
            return !admin.describeCluster().nodes().get(5, TimeUnit.SECONDS).isEmpty();
          }
        });
  }

  private static Process run(Path folder, String... program) throws Exception {
    List<String> command = Processes.jvm("-Xmx300m", "-cp", System.getProperty("java.class.path"));
    command.addAll(List.of(program));
    return Processes.start(folder.resolve("kafka.log"), command);
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", address()));
  }

  void topic(String name, int partitions) throws Exception {
    try (Admin admin = admin()) {
      admin
          .createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
          .all()
          .get(60, TimeUnit.SECONDS);
    }
  }

  void send(String topic, int partitions, List<String> values) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", address(), "acks", "all");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      int at = 0;
      for (String value : values) {
        // In no relation to the value, so that a click that is sent twice is in two partitions.
        producer.send(new ProducerRecord<>(topic, at++ % partitions, null, value));
      }
      producer.flush();
    }
  }

  @Override
  public void close() throws Exception {
    Processes.kill(process);
  }
}
