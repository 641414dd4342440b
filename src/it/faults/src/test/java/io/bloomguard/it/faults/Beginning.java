package io.bloomguard.it.faults;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.io.IOException;

/**
 * The server of the partition as a fault finds it. A fault states what it needs, and is not made
 * where another one has left something else.
 *
 * @param role what it is to other servers, as {@code INFO} names it
 * @param version its first two numbers, which only of the embedded Redis are known beforehand;
 *     empty where another server is tested
 * @param replicas how many are in step with it
 * @param trusted whether it holds the partition, and no doubt about it is left
 */
record Beginning(String role, String version, int replicas, boolean trusted) {

  private static final int SECONDS = 30;

  /** A master with all data, and with the replicas of that form of Redis. */
  static Beginning ordinary(Fault.Where where) {
    return new Beginning(
        "master",
        where != Fault.Where.CLOCKS && RedisProcess.isEmbedded() ? "7.0" : "",
        where == Fault.Where.STANDALONE || where == Fault.Where.CLOCKS ? 0 : 1,
        true);
  }

  /** The server as it is now. */
  static Beginning found(Redis redis) throws IOException {
    RedisProcess server = redis.partition();
    String version = redis.isEmbedded() ? server.info("redis_version") : "";
    return new Beginning(
        server.info("role"),
        version.substring(0, Math.max(0, version.lastIndexOf('.'))),
        inStep(server),
        server.call("HGET", Redis.PARTITION + "head", "epoch") != null
            && Long.valueOf(1).equals(server.call("EXISTS", redis.image())));
  }

  private static int inStep(RedisProcess server) throws IOException {
    int count = 0;
    for (int i = 0; !server.info("slave" + i).isEmpty(); i++) {
      count += server.info("slave" + i).contains("state=online") ? 1 : 0;
    }
    return count;
  }

  /** Waits for it, because replicas come after a moment. */
  void await(Redis redis) throws Exception {
    if (!Wait.within(SECONDS, () -> equals(found(redis)))) {
      throw new IOException("the server begins as " + found(redis) + " instead of " + this);
    }
  }
}
