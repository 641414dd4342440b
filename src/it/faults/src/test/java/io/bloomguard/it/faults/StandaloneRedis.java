package io.bloomguard.it.faults;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.util.List;

/** One Redis behind a proxy, and a second one for those who want to lead the shops there. */
final class StandaloneRedis extends Redis {

  private final RedisProcess first = new RedisProcess("redis");
  private final FaultProxy proxy = new FaultProxy(first.port());
  private RedisProcess serving = first;

  StandaloneRedis() throws Exception {}

  FaultProxy proxy() {
    return proxy;
  }

  @Override
  List<String> properties() {
    return List.of(
        "--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + proxy.port());
  }

  @Override
  RedisProcess partition() {
    return serving;
  }

  /** Starts a replica of what serves and waits until it has everything. */
  RedisProcess startReplica() throws Exception {
    RedisProcess replica = new RedisProcess("replica", "replicaof 127.0.0.1 " + serving.port());
    Wait.upTo(20, "replica", () -> "up".equals(replica.info("master_link_status")));
    return replica;
  }

  /** Ends what serves and leads the shops to another. */
  void replaceBy(RedisProcess other) throws Exception {
    RedisProcess before = serving;
    serving = other;
    proxy.lead(other.port());
    before.close();
  }

  @Override
  public void close() throws Exception {
    proxy.close();
    serving.close();
  }
}
