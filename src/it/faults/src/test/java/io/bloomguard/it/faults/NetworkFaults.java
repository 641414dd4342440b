package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import java.util.List;

/** A network between shops and Redis that fails for a while, or for a moment. */
final class NetworkFaults {

  private static final long WHILE_MILLIS = 1_500;

  private NetworkFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("blackhole", NetworkFaults::blackhole).times(1, 3),
        fault("answers swallowed", NetworkFaults::swallowed).times(0, 3),
        fault("delay of 150 ms", world -> delay(world, 150)).times(0, 2),
        fault("delay of 2 s", world -> delay(world, 2_000)).times(0, 2),
        fault("connections reset", world -> proxy(world).reset()).times(1, 5),
        fault("connections half closed", world -> proxy(world).halfClose()).times(0, 5),
        fault("connections refused", NetworkFaults::refused).times(1, 3));
  }

  /** Without Redis each process loads for itself. */
  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike).losesCache().excusing(12);
  }

  private static FaultProxy proxy(World world) {
    return ((StandaloneRedis) world.redis()).proxy();
  }

  private static void blackhole(World world) throws Exception {
    proxy(world).blackhole(true);
    world.pause(WHILE_MILLIS);
    proxy(world).blackhole(false);
  }

  private static void swallowed(World world) throws Exception {
    proxy(world).swallowAnswers(true);
    world.pause(WHILE_MILLIS);
    proxy(world).swallowAnswers(false);
  }

  private static void delay(World world, long millis) throws Exception {
    proxy(world).delay(millis);
    world.pause(WHILE_MILLIS + millis);
    proxy(world).delay(0);
  }

  private static void refused(World world) throws Exception {
    proxy(world).refuse();
    world.pause(WHILE_MILLIS);
    proxy(world).open();
  }
}
