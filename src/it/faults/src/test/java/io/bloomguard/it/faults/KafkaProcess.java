package io.bloomguard.it.faults;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Wait;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** A broker in a process of its own, to which shops come through a proxy. */
final class KafkaProcess implements AutoCloseable {

  static final String CHANGES = "shop.public.items";
  static final String HEARTBEATS = "__debezium-heartbeat.shop";
  static final int PARTITIONS = 3;

  private final int port = Processes.freePort();
  private final Path folder;
  private final FaultProxy proxy;
  private Process process;

  KafkaProcess() throws Exception {
    int shops = Processes.freePort();
    int controller = Processes.freePort();
    proxy = new FaultProxy(shops);
    folder = Files.createDirectories(Processes.folder().resolve("kafka-" + port));
    Path data = folder.resolve("data");
    Files.write(
        folder.resolve("server.properties"),
        List.of(
            "process.roles=broker,controller",
            "node.id=1",
            "controller.quorum.voters=1@127.0.0.1:" + controller,
            "controller.listener.names=CONTROLLER",
            "inter.broker.listener.name=HARNESS",
            "listener.security.protocol.map=CONTROLLER:PLAINTEXT,HARNESS:PLAINTEXT,SHOPS:PLAINTEXT",
            "listeners=CONTROLLER://127.0.0.1:"
                + controller
                + ",HARNESS://127.0.0.1:"
                + port
                + ",SHOPS://127.0.0.1:"
                + shops,
            "advertised.listeners=HARNESS://127.0.0.1:"
                + port
                + ",SHOPS://127.0.0.1:"
                + proxy.port(),
            "log.dirs=" + data,
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1",
            "group.initial.rebalance.delay.ms=0",
            "auto.create.topics.enable=false"));
    new Formatter()
        .setNodeId(1)
        .setClusterId(Uuid.randomUuid().toString())
        .addDirectory(data.toString())
        .setMetadataLogDirectory(data.toString())
        .setControllerListenerName("CONTROLLER")
        .setReleaseVersion(MetadataVersion.latestProduction())
        .setPrintStream(
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8))
        .run();
    start();
    try (Admin admin = admin()) {
      admin
          .createTopics(
              List.of(
                  new NewTopic(CHANGES, PARTITIONS, (short) 1),
                  new NewTopic(HEARTBEATS, 1, (short) 1)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
  }

  /** Where shops find it. */
  String shops() {
    return "127.0.0.1:" + proxy.port();
  }

  /** Where the connector finds it. */
  String address() {
    return "127.0.0.1:" + port;
  }

  FaultProxy proxy() {
    return proxy;
  }

  private Admin admin() {
    return Admin.create(properties());
  }

  private Properties properties() {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", address());
    properties.put("default.api.timeout.ms", "10000");
    properties.put("request.timeout.ms", "5000");
    return properties;
  }

  void start() throws Exception {
    List<String> command =
        Processes.jvm("-Xmx300m", "-cp", System.getProperty("java.class.path"), "kafka.Kafka");
    command.add(folder.resolve("server.properties").toString());
    process = Processes.start(folder.resolve("kafka.log"), command);
    Wait.upTo(
        60,
        "Kafka",
        () -> {
          try (Admin admin = admin()) {
            return !admin.describeCluster().nodes().get(5, TimeUnit.SECONDS).isEmpty();
          }
        });
  }

  void kill() throws InterruptedException {
    Processes.kill(process);
  }

  /** Deletes all changes that it holds, as the retention of a topic does. */
  void trim() throws Exception {
    try (Admin admin = admin()) {
      Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
      for (int i = 0; i < PARTITIONS; i++) {
        ends.put(new TopicPartition(CHANGES, i), OffsetSpec.latest());
      }
      admin
          .deleteRecords(
              admin.listOffsets(ends).all().get(10, TimeUnit.SECONDS).entrySet().stream()
                  .collect(
                      Collectors.toMap(
                          Map.Entry::getKey,
                          end -> RecordsToDelete.beforeOffset(end.getValue().offset()))))
          .all()
          .get(10, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() throws Exception {
    kill();
    proxy.close();
  }
}
