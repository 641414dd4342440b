package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import java.io.IOException;
import java.util.List;

/** A network between shops and Redis that fails for a while, or for a moment. */
final class NetworkFaults {

  private static final int WHILE_MILLIS = 1_500;

  /** How often one shop after the other has it, for up to twice the length of a lease. */
  private static final int SHOPS = 5;

  private static final int LONGEST_MILLIS = 2_000;

  private NetworkFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("blackhole", world -> forAll(world, FaultProxy::blackhole)).times(1, 3),
        fault("answers swallowed", w -> forAll(w, FaultProxy::swallowAnswers)).times(0, 3),
        fault("delay of 150 ms", world -> delay(world, 150)).times(0, 2),
        fault("delay of 2 s", world -> delay(world, 2_000)).times(0, 2),
        fault("connections reset", world -> onAll(world, FaultProxy::reset)).times(1, 5),
        fault("connections half closed", w -> onAll(w, FaultProxy::halfClose)).times(0, 5),
        fault("connections refused", NetworkFaults::refused).times(1, 3),
        fault("blackhole for one shop", w -> forOne(w, FaultProxy::blackhole)).times(0, 3),
        fault("answers to one shop swallowed", w -> forOne(w, FaultProxy::swallowAnswers))
            .times(0, 3),
        fault("answers to one shop late", NetworkFaults::late).times(1, 3));
  }

  /** Without Redis each process loads for itself. */
  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike).losesCache().excusing(12);
  }

  /** Does something to a way to Redis. */
  @FunctionalInterface
  interface Break {
    void on(FaultProxy way) throws IOException;
  }

  /** Breaks a way to Redis, or mends it. */
  @FunctionalInterface
  private interface Switch {
    void set(FaultProxy way, boolean broken);
  }

  /** Does it to the ways of all shops. */
  static void onAll(World world, Break what) throws IOException {
    for (FaultProxy way : ((StandaloneRedis) world.redis()).proxies()) {
      what.on(way);
    }
  }

  private static void forAll(World world, Switch what) throws Exception {
    onAll(world, way -> what.set(way, true));
    world.pause(WHILE_MILLIS);
    onAll(world, way -> what.set(way, false));
  }

  /** The others go on to insert, which that shop does not hear of. */
  private static void forOne(World world, Switch what) throws Exception {
    for (int i = 0; i < SHOPS; i++) {
      FaultProxy way = anyWay(world);
      what.set(way, true);
      world.pause(world.random().nextInt(LONGEST_MILLIS));
      what.set(way, false);
      world.pause(world.random().nextInt(WHILE_MILLIS));
    }
  }

  /**
   * Late, but within a lease and within the time of a poll, so that it holds leases for a while.
   */
  private static void late(World world) throws Exception {
    FaultProxy way = anyWay(world);
    try {
      for (int i = 0; i < SHOPS; i++) {
        way.delayAnswers(400 + world.random().nextInt(400));
        world.pause(WHILE_MILLIS);
      }
    } finally {
      way.delayAnswers(0);
    }
  }

  private static FaultProxy anyWay(World world) {
    return ((StandaloneRedis) world.redis()).proxy(world.random().nextInt(World.SHOPS));
  }

  private static void delay(World world, long millis) throws Exception {
    onAll(world, way -> way.delay(millis));
    world.pause(WHILE_MILLIS + millis);
    onAll(world, way -> way.delay(0));
  }

  private static void refused(World world) throws Exception {
    onAll(world, FaultProxy::refuse);
    world.pause(WHILE_MILLIS);
    onAll(world, FaultProxy::open);
  }
}
