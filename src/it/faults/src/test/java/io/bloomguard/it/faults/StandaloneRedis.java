package io.bloomguard.it.faults;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import io.bloomguard.it.support.WallClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One Redis behind a proxy for each shop and one for further shops, and a second Redis for faults
 * that lead the shops there.
 */
class StandaloneRedis extends Redis {

  private final List<FaultProxy> proxies = new ArrayList<>();
  private RedisProcess serving;

  StandaloneRedis() throws Exception {
    this(new RedisProcess("redis"));
  }

  StandaloneRedis(RedisProcess first) throws IOException {
    serving = first;
    for (int i = 0; i <= World.SHOPS; i++) {
      proxies.add(new FaultProxy(first.port()));
    }
  }

  /** The ways of all shops. */
  List<FaultProxy> proxies() {
    return proxies;
  }

  /** The way of one of the shops under traffic. */
  FaultProxy proxy(int shop) {
    return proxies.get(shop);
  }

  @Override
  List<String> properties() {
    return properties(World.SHOPS);
  }

  @Override
  List<String> properties(int shop) {
    return List.of(
        "--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + proxy(shop).port());
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
    for (FaultProxy proxy : proxies) {
      proxy.lead(other.port());
    }
    before.close();
  }

  @Override
  public void close() throws Exception {
    for (FaultProxy proxy : proxies) {
      proxy.close();
    }
    serving.close();
  }

  /** One whose wall clock can be put, and so can those of the shops. */
  static final class WithClock extends StandaloneRedis {

    private final WallClock clock;

    WithClock() throws Exception {
      this(new WallClock("redis"));
    }

    private WithClock(WallClock clock) throws Exception {
      super(new RedisProcess("redis", clock));
      this.clock = clock;
    }

    WallClock clock() {
      return clock;
    }

    @Override
    boolean isEmbedded() {
      return false;
    }

    @Override
    WallClock newClock(String process) throws IOException {
      return new WallClock(process);
    }
  }
}
