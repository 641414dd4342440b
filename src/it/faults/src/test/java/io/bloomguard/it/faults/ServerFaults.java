package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.CLUSTER;
import static io.bloomguard.it.faults.Fault.Where.SENTINEL;
import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.util.List;

/** Servers that end, come back, or are replaced by one that lacks the last writes. */
final class ServerFaults {

  private static final long OLD_MILLIS = 2_500;

  private ServerFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.of(STANDALONE, "kill -9 of Redis, comes back empty", ServerFaults::empty)
            .losesCache()
            .excusing(12)
            .times(1, 3),
        Fault.of(STANDALONE, "kill -9 of Redis, comes back from an old RDB", ServerFaults::oldDump)
            .losesCache()
            .excusing(12)
            .times(1, 3),
        Fault.of(STANDALONE, "REPLICAOF NO ONE without the last writes", ServerFaults::promote)
            .losesCache()
            .excusing(12)
            .times(0, 3),
        Fault.of(SENTINEL, "Sentinel failover without the last writes", ServerFaults::failover)
            .losesCache()
            .excusing(12)
            .within(60)
            .times(1, 3),
        Fault.of(SENTINEL, "planned Sentinel failover", ServerFaults::plannedFailover)
            .losesCache()
            .excusing(12)
            .within(60)
            .times(0, 2),
        Fault.of(
                CLUSTER, "cluster master killed, replica lacks the last writes", ServerFaults::shot)
            .losesCache()
            .excusing(12)
            .within(60)
            .times(1, 3),
        Fault.of(CLUSTER, "slot of the partition resharded", ServerFaults::reshard)
            .excusing(2)
            .times(1, 3),
        Fault.of(CLUSTER, "slot resharded during a rebuild", ServerFaults::reshardDuringRebuild)
            .excusing(2)
            .times(0, 3));
  }

  static void empty(World world) throws Exception {
    RedisProcess redis = world.redis().partition();
    redis.kill();
    redis.deleteDump();
    world.pause(500);
    redis.start(RedisProcess.Held.NOTHING);
  }

  static void oldDump(World world) throws Exception {
    RedisProcess redis = world.redis().partition();
    redis.call("SAVE");
    world.pause(OLD_MILLIS);
    world.awaitInserts(50);
    redis.kill();
    redis.start(RedisProcess.Held.DUMP);
    redis.deleteDump();
  }

  private static void promote(World world) throws Exception {
    StandaloneRedis redis = (StandaloneRedis) world.redis();
    RedisProcess replica = redis.startReplica();
    try {
      RedisProcess master = redis.partition();
      detach(master, replica, world);
      // Or the replica would ask it for what it missed.
      master.kill();
      replica.resume();
      replica.promote();
    } finally {
      redis.replaceBy(replica);
    }
  }

  static void failover(World world) throws Exception {
    SentinelRedis redis = (SentinelRedis) world.redis();
    RedisProcess master = redis.partition();
    RedisProcess replica = redis.replica();
    detach(master, replica, world);
    master.kill();
    replica.resume();
    Wait.upTo(40, "failover", () -> redis.partition() == replica && isMaster(replica));
    world.pause(500);
    master.start();
    redis.awaitReplica();
  }

  private static void plannedFailover(World world) throws Exception {
    SentinelRedis redis = (SentinelRedis) world.redis();
    RedisProcess replica = redis.replica();
    redis.requestFailover();
    Wait.upTo(40, "failover", () -> redis.partition() == replica && isMaster(replica));
    redis.awaitReplica();
  }

  private static void shot(World world) throws Exception {
    ClusterRedis redis = (ClusterRedis) world.redis();
    RedisProcess master = redis.partition();
    RedisProcess replica = redis.replicaOf(master);
    detach(master, replica, world);
    master.kill();
    replica.resume();
    Wait.upTo(40, "failover", () -> isMaster(replica));
    world.pause(500);
    master.start();
    redis.awaitWhole();
  }

  /** The replica is stopped and its link is cut; what is inserted now, it never hears of. */
  private static void detach(RedisProcess master, RedisProcess replica, World world)
      throws Exception {
    replica.suspend();
    master.call("CLIENT", "KILL", "TYPE", "replica");
    world.awaitInserts(30);
  }

  private static boolean isMaster(RedisProcess node) throws Exception {
    return "master".equals(node.info("role"));
  }

  private static void reshard(World world) throws Exception {
    ClusterRedis redis = (ClusterRedis) world.redis();
    new SlotMove(redis, redis.otherMaster()).run();
  }

  private static void reshardDuringRebuild(World world) throws Exception {
    Worker builder = world.worker(0);
    builder.ask("pause 40");
    builder.requestRebuild("products").join();
    world.pause(200 + world.random().nextInt(400));
    reshard(world);
    builder.ask("pause 0");
  }
}
