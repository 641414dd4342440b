package io.bloomguard.it.faults;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A master with a replica, watched by three Sentinels. */
final class SentinelRedis extends Redis {

  private static final String MASTER = "shop";

  private final List<RedisProcess> servers = new ArrayList<>();
  private final List<RedisProcess> sentinels = new ArrayList<>();

  SentinelRedis() throws Exception {
    RedisProcess master = new RedisProcess("master");
    servers.add(master);
    servers.add(new RedisProcess("replica", "replicaof 127.0.0.1 " + master.port()));
    for (int i = 0; i < 3; i++) {
      sentinels.add(
          new RedisProcess(
              "sentinel",
              "sentinel monitor " + MASTER + " 127.0.0.1 " + master.port() + " 2",
              "sentinel down-after-milliseconds " + MASTER + " 1000",
              "sentinel failover-timeout " + MASTER + " 6000"));
    }
    awaitReplica();
  }

  @Override
  List<String> properties() {
    return List.of(
        "--spring.data.redis.sentinel.master=" + MASTER,
        "--spring.data.redis.sentinel.nodes="
            + sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(",")));
  }

  @Override
  RedisProcess partition() throws IOException {
    List<?> address =
        (List<?>) sentinels.get(0).call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER);
    int port = Integer.parseInt((String) address.get(1));
    for (RedisProcess server : servers) {
      if (server.port() == port) {
        return server;
      }
    }
    throw new IOException("Nobody knows a master on port " + port);
  }

  /** The server that does not serve. */
  RedisProcess replica() throws IOException {
    RedisProcess master = partition();
    return servers.get(0) == master ? servers.get(1) : servers.get(0);
  }

  void requestFailover() throws IOException {
    sentinels.get(0).call("SENTINEL", "FAILOVER", MASTER);
  }

  /** Every Sentinel knows the other two and one replica, which is in step with its master. */
  void awaitReplica() throws Exception {
    Wait.upTo(
        60,
        "Sentinels agree and the replica is in step",
        () -> {
          for (RedisProcess sentinel : sentinels) {
            List<?> others = (List<?>) sentinel.call("SENTINEL", "SENTINELS", MASTER);
            List<?> replicas = (List<?>) sentinel.call("SENTINEL", "REPLICAS", MASTER);
            if (others.size() != 2 || replicas.isEmpty()) {
              return false;
            }
            if (!sentinel.info("master0").contains("status=ok")) {
              return false;
            }
          }
          return "up".equals(replica().info("master_link_status"))
              && "master".equals(partition().info("role"));
        });
  }

  @Override
  public void close() throws Exception {
    for (RedisProcess sentinel : sentinels) {
      sentinel.close();
    }
    for (RedisProcess server : servers) {
      server.close();
    }
  }
}
