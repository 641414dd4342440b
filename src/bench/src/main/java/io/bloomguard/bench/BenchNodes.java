package io.bloomguard.bench;

import io.bloomguard.bench.attack.ServerPrograms;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import redis.embedded.RedisServer;
import redis.embedded.RedisServerBuilder;

/** A Redis alone, or a cluster of several masters, on the loopback interface. */
final class BenchNodes implements AutoCloseable {

  private static final long READY_WITHIN = Duration.ofSeconds(30).toNanos();

  private final Path directory = Files.createTempDirectory("bloomguard-bench");
  private final List<RedisServer> servers = new ArrayList<>();
  private final RedisClient client = RedisClient.create();
  private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();

  /**
   * Starts them.
   *
   * @param masters 1 for no cluster
   */
  BenchNodes(int masters) throws IOException {
    List<Integer> busPorts = new ArrayList<>();
    for (int i = 0; i < masters; i++) {
      busPorts.add(BenchRedis.freePort());
      start(masters > 1, busPorts.get(i));
    }
    for (int i = 0; masters > 1 && i < masters; i++) {
      cluster(0, "MEET", "127.0.0.1", "" + port(i), "" + busPorts.get(i));
      int from = i * SlotHash.SLOT_COUNT / masters;
      int to = (i + 1) * SlotHash.SLOT_COUNT / masters - 1;
      cluster(i, "ADDSLOTSRANGE", "" + from, "" + to);
    }
    long began = System.nanoTime();
    while (masters > 1 && !isWhole(masters)) {
      if (System.nanoTime() - began > READY_WITHIN) {
        throw new IllegalStateException("The cluster is not whole");
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private void start(boolean cluster, int busPort) throws IOException {
    int port = BenchRedis.freePort();
    RedisServerBuilder builder =
        ServerPrograms.redis(port)
            .setting("dir " + directory)
            .setting("save \"\"")
            .setting("appendonly no");
    if (cluster) {
      builder
          .setting("cluster-enabled yes")
          .setting("cluster-port " + busPort)
          .setting("cluster-config-file nodes-" + port + ".conf");
    }
    RedisServer server = builder.build();
    server.start();
    servers.add(server);
    connections.add(client.connect(RedisURI.create("127.0.0.1", port)));
  }

  private void cluster(int node, String... arguments) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    for (String argument : arguments) {
      args.add(argument);
    }
    connections
        .get(node)
        .sync()
        .dispatch(CommandType.CLUSTER, new StatusOutput<>(StringCodec.UTF8), args);
  }

  private boolean isWhole(int masters) {
    return connections.stream()
        .map(node -> node.sync().clusterInfo())
        .allMatch(
            info ->
                info.contains("cluster_state:ok")
                    && info.contains("cluster_known_nodes:" + masters));
  }

  int count() {
    return servers.size();
  }

  RedisURI address(int node) {
    return RedisURI.create("127.0.0.1", port(node));
  }

  private int port(int node) {
    return servers.get(node).ports().get(0);
  }

  /** The node that has a key. */
  int owner(String key) {
    return SlotHash.getSlot(key) * count() / SlotHash.SLOT_COUNT;
  }

  /** The processor time of all of them. */
  double micros() {
    return 1e6 * sum(node -> node.sync().info("cpu"), "used_cpu_(?:sys|user):([0-9.]+)");
  }

  /** The messages that they have passed on to one another. */
  double passedOn() {
    return count() == 1
        ? 0
        : sum(
            node -> node.sync().clusterInfo(),
            "cluster_stats_messages_publish(?:shard)?_sent:([0-9]+)");
  }

  private double sum(Function<StatefulRedisConnection<String, String>, String> info, String lines) {
    return connections.stream().mapToDouble(node -> BenchRedis.sum(info.apply(node), lines)).sum();
  }

  @Override
  public void close() throws IOException {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    for (RedisServer server : servers) {
      server.stop();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
