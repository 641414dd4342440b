package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.CLOCKS;

import io.bloomguard.it.faults.StandaloneRedis.WithClock;
import io.bloomguard.it.support.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Wall clocks that are put forward and back, and not only a little, while everything goes on. */
final class ClockFaults {

  private static final int STRIKES = 8;

  /** A clock that is put changes within that time. */
  private static final int UNTIL_PUT_MILLIS = 1_000;

  private static final int LONGEST_PAUSE_MILLIS = 1_000;

  private ClockFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("Redis' clock put forward and back", w -> put(w, redisClock(w))).times(1, 3),
        fault("clock of one shop put forward and back", w -> put(w, shopClock(w))).times(0, 3),
        fault("clock of a stopped shop put back", ClockFaults::stopped).times(0, 3),
        fault("loss while Redis' clock is put forward", ClockFaults::loss).times(0, 3));
  }

  /** What is in the value cache ends by Redis' clock. */
  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(CLOCKS, name, strike).losesCache().excusing(12);
  }

  private static WallClock redisClock(World world) {
    return ((WithClock) world.redis()).clock();
  }

  private static WallClock shopClock(World world) {
    return world.worker(world.random().nextInt(World.SHOPS)).clock();
  }

  private static void put(World world, WallClock clock) throws Exception {
    for (int i = 0; i < STRIKES; i++) {
      clock.put(anyTime(world.random()));
      world.pause(UNTIL_PUT_MILLIS + world.random().nextInt(LONGEST_PAUSE_MILLIS));
    }
    clock.put(Duration.ZERO);
  }

  /** Some milliseconds, about a lease, or hours; ahead or behind. */
  private static Duration anyTime(Random random) {
    long most = List.of(100L, 2_000L, 10_000L, 7_200_000L).get(random.nextInt(4));
    return Duration.ofMillis(random.nextLong(-most, most));
  }

  /** By the wall clock, hardly any time has passed when it goes on. */
  private static void stopped(World world) throws Exception {
    for (int i = 0; i < STRIKES; i++) {
      Worker shop = world.worker(world.random().nextInt(World.SHOPS));
      long millis = UNTIL_PUT_MILLIS + world.random().nextInt(1_000);
      shop.stop();
      try {
        world.pause(millis);
        shop.clock().put(Duration.ofMillis(-world.random().nextLong(millis)));
      } finally {
        shop.resume();
      }
      world.pause(world.random().nextInt(LONGEST_PAUSE_MILLIS));
      shop.clock().put(Duration.ZERO);
    }
  }

  /** The doubt that follows ends by Redis' clock, leases do not. */
  private static void loss(World world) throws Exception {
    KeyFaults.restoreAll(
        world,
        Redis.PARTITION,
        struck -> {
          struck.pause(KeyFaults.OLD_MILLIS);
          struck.awaitInserts(50);
        });
    world.pause(world.random().nextInt(LONGEST_PAUSE_MILLIS));
    redisClock(world).put(Duration.ofSeconds(10));
  }
}
