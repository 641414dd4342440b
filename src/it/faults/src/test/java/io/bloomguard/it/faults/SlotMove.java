package io.bloomguard.it.faults;

import io.bloomguard.it.support.RedisProcess;
import java.util.List;

/** The move of the partition's slot to another master, key by key, as {@code redis-cli} does it. */
final class SlotMove {

  private final ClusterRedis redis;
  private final RedisProcess from;
  private final RedisProcess to;
  private final long slot;

  SlotMove(ClusterRedis redis, RedisProcess to) throws Exception {
    this.redis = redis;
    this.from = redis.partition();
    this.to = to;
    this.slot = redis.slot();
  }

  void run() throws Exception {
    String source = (String) from.call("CLUSTER", "MYID");
    String target = (String) to.call("CLUSTER", "MYID");
    to.call("CLUSTER", "SETSLOT", slot, "IMPORTING", source);
    from.call("CLUSTER", "SETSLOT", slot, "MIGRATING", target);
    while (true) {
      List<?> keys = (List<?>) from.call("CLUSTER", "GETKEYSINSLOT", slot, 1);
      if (keys.isEmpty()) {
        break;
      }
      from.call("MIGRATE", "127.0.0.1", to.port(), keys.get(0), 0, 5000);
      // What comes between is answered with ASK and TRYAGAIN.
      Thread.sleep(30);
    }
    to.call("CLUSTER", "SETSLOT", slot, "NODE", target);
    from.call("CLUSTER", "SETSLOT", slot, "NODE", target);
    for (RedisProcess master : redis.masters()) {
      if (master != from && master != to) {
        master.call("CLUSTER", "SETSLOT", slot, "NODE", target);
      }
    }
    redis.awaitWhole();
  }
}
