package io.bloomguard.it.faults;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Three masters with a replica each. */
final class ClusterRedis extends Redis {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;

  private final List<RedisProcess> nodes = new ArrayList<>();

  ClusterRedis() throws Exception {
    List<Integer> busPorts = new ArrayList<>();
    for (int i = 0; i < 2 * MASTERS; i++) {
      int busPort = Processes.freePort();
      busPorts.add(busPort);
      nodes.add(
          new RedisProcess(
              "cluster",
              "cluster-enabled yes",
              "cluster-port " + busPort,
              "cluster-node-timeout 2000",
              "cluster-replica-validity-factor 0",
              "cluster-migration-barrier 10"));
    }
    for (int i = 0; i < nodes.size(); i++) {
      nodes.get(0).call("CLUSTER", "MEET", "127.0.0.1", nodes.get(i).port(), busPorts.get(i));
      if (i < MASTERS) {
        int from = i * SLOTS / MASTERS;
        int to = (i + 1) * SLOTS / MASTERS - 1;
        nodes.get(i).call("CLUSTER", "ADDSLOTSRANGE", from, to);
      }
    }
    for (RedisProcess node : nodes) {
      Wait.upTo(30, "cluster", () -> lines(node).size() == 2 * MASTERS);
    }
    for (int i = MASTERS; i < nodes.size(); i++) {
      RedisProcess replica = nodes.get(i);
      String master = (String) nodes.get(i - MASTERS).call("CLUSTER", "MYID");
      Wait.upTo(30, "replica", () -> "OK".equals(replica.call("CLUSTER", "REPLICATE", master)));
    }
    awaitWhole();
  }

  /** Every node that runs sees a whole cluster, and every replica is in step. */
  void awaitWhole() throws Exception {
    Wait.upTo(
        60,
        "the cluster is whole",
        () -> {
          for (RedisProcess node : nodes) {
            if (!((String) node.call("CLUSTER", "INFO")).contains("cluster_state:ok")
                || lines(node).stream().anyMatch(line -> line.contains("fail"))
                || (node.info("role").equals("slave")
                    && !node.info("master_link_status").equals("up"))) {
              return false;
            }
          }
          return replicas() == MASTERS;
        });
  }

  private long replicas() throws IOException {
    return lines(nodes.get(0)).stream().filter(line -> line.contains("slave ")).count();
  }

  @Override
  List<String> properties() {
    return List.of(
        "--spring.data.redis.cluster.nodes="
            + nodes.stream()
                .limit(MASTERS)
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",")));
  }

  long slot() throws IOException {
    return (Long) someone().call("CLUSTER", "KEYSLOT", PARTITION + "head");
  }

  private RedisProcess someone() throws IOException {
    return nodes.stream()
        .filter(RedisProcess::isAlive)
        .findFirst()
        .orElseThrow(() -> new IOException("Nobody is alive"));
  }

  @Override
  RedisProcess partition() throws IOException {
    long slot = slot();
    for (String line : lines(someone())) {
      String[] words = line.split(" ");
      for (int i = 8; i < words.length; i++) {
        if (words[2].contains("master") && !words[2].contains("fail") && holds(words[i], slot)) {
          return node(line);
        }
      }
    }
    throw new IOException("Nobody holds slot " + slot);
  }

  private static boolean holds(String range, long slot) {
    if (range.startsWith("[")) {
      return false;
    }
    String[] ends = range.split("-");
    return Long.parseLong(ends[0]) <= slot && slot <= Long.parseLong(ends[ends.length - 1]);
  }

  /** The replica of a master. */
  RedisProcess replicaOf(RedisProcess master) throws IOException {
    String id = (String) master.call("CLUSTER", "MYID");
    for (String line : lines(someone())) {
      String[] words = line.split(" ");
      if (words[3].equals(id)) {
        return node(line);
      }
    }
    throw new IOException("No replica of " + master.port());
  }

  /** A master that does not hold the partition. */
  RedisProcess otherMaster() throws IOException {
    RedisProcess holder = partition();
    for (RedisProcess node : masters()) {
      if (node != holder) {
        return node;
      }
    }
    throw new IOException("No other master");
  }

  List<RedisProcess> masters() throws IOException {
    List<RedisProcess> masters = new ArrayList<>();
    for (String line : lines(someone())) {
      if (line.contains("master") && !line.contains("fail")) {
        masters.add(node(line));
      }
    }
    return masters;
  }

  private RedisProcess node(String line) throws IOException {
    String address = line.split(" ")[1];
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf('@')));
    for (RedisProcess node : nodes) {
      if (node.port() == port) {
        return node;
      }
    }
    throw new IOException("Unknown node " + address);
  }

  private static List<String> lines(RedisProcess node) throws IOException {
    return Arrays.asList(((String) node.call("CLUSTER", "NODES")).split("\n"));
  }

  @Override
  public void close() throws Exception {
    for (RedisProcess node : nodes) {
      node.close();
    }
  }
}
