package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;
import static io.bloomguard.it.faults.Redis.PARTITION;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * What goes wrong with copies that hold leases, and with the register of them. The shops' leases
 * last a second.
 */
final class CopyFaults {

  /** The filters of the shops that are copied. */
  static final List<String> COPIED = List.of("products", "stock", "brief", "news");

  private static final String HEAD = PARTITION + "head";
  private static final String LEASE = "--bloomguard.filters.products.replica.lease=";

  /** How often a strike of a moment is repeated, at random moments. */
  private static final int STRIKES = 6;

  /** Far more than a page of the journal has, which is what a copy reads with one poll. */
  private static final int BURST = 300;

  private static final long LATE_MILLIS = 700;

  private CopyFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("shops stopped for less than a lease", w -> stopped(w, 20, 950)).times(0, 3),
        fault("shops stopped for about a lease", w -> stopped(w, 900, 1_300)).times(1, 3),
        fault("shops stopped for much longer than a lease", w -> stopped(w, 1_500, 4_000))
            .times(0, 2),
        fault("Redis stopped for about a lease", CopyFaults::redisStopped)
            .losesCache()
            .excusing(12)
            .times(0, 3),
        fault("kill -9 of a shop that holds a lease", CopyFaults::killed).times(0, 3),
        fault("register of copies deleted", CopyFaults::deleteRegister).times(1, 3),
        fault("CLIENT KILL of all connections", w -> killClients(w, "normal"))
            .losesCache()
            .excusing(12)
            .times(0, 3),
        fault("CLIENT KILL of what wakes copies", w -> killClients(w, "pubsub")).times(0, 3),
        fault("Redis out of memory", world -> refuseWrites(world, "maxmemory", "1mb", "0"))
            .losesCache()
            .excusing(12)
            .times(0, 3),
        fault(
                "too few replicas for writes",
                w -> refuseWrites(w, "min-replicas-to-write", "1", "0"))
            .losesCache()
            .excusing(12)
            .times(0, 3),
        fault("more adds than a late copy reads at once", CopyFaults::burst).times(0, 3),
        fault("leases of other lengths, shop by shop", CopyFaults::rollLengths)
            .losesCache()
            .excusing(4)
            .within(60)
            .times(0, 1));
  }

  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike).excusing(3);
  }

  /** The setting by which a shop has no copy of a filter. */
  static String withoutCopy(String filter) {
    return "--bloomguard.filters." + filter + ".replica.enabled=false";
  }

  /** The others insert meanwhile; what they ask the stopped shop, it answers when it goes on. */
  private static void stopped(World world, int least, int most) throws Exception {
    for (int i = 0; i < STRIKES; i++) {
      Worker shop = anyShop(world);
      shop.stop();
      try {
        world.pause(least + world.random().nextInt(most - least));
      } finally {
        shop.resume();
      }
      world.pause(world.random().nextInt(700));
    }
  }

  /** What was sent in time arrives late, polls and adds in one moment. */
  private static void redisStopped(World world) throws Exception {
    RedisProcess redis = world.redis().partition();
    for (int i = 0; i < STRIKES; i++) {
      redis.suspend();
      try {
        world.pause(700 + world.random().nextInt(700));
      } finally {
        redis.resume();
      }
      world.pause(world.random().nextInt(1_000));
    }
  }

  private static Worker anyShop(World world) {
    return world.worker(world.random().nextInt(World.SHOPS));
  }

  /** Its copy costs a writer one wait. */
  private static void killed(World world) throws Exception {
    Worker victim = anyShop(world);
    victim.kill();
    try {
      world.awaitInserts(10);
      Wait.upTo(
          5, "the dead copy is off the register", () -> register(world).size() <= World.SHOPS - 1);
    } finally {
      victim.restart();
    }
  }

  /** The fields of the head that name copies. */
  private static List<String> register(World world) throws IOException {
    List<String> copies = new ArrayList<>();
    for (Object field : (List<?>) world.redis().call("HKEYS", HEAD)) {
      if (((String) field).startsWith("copy:")) {
        copies.add((String) field);
      }
    }
    return copies;
  }

  /** Nothing else is lost. */
  private static void deleteRegister(World world) throws Exception {
    for (int i = 0; i < STRIKES / 2; i++) {
      Wait.upTo(20, "copies are registered", () -> !register(world).isEmpty());
      world.pause(world.random().nextInt(500));
      for (String copy : register(world)) {
        world.redis().call("HDEL", HEAD, copy);
      }
    }
  }

  private static void killClients(World world, String type) throws Exception {
    for (int i = 0; i < 4 * STRIKES; i++) {
      world.redis().call("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
      world.pause(world.random().nextInt(500));
    }
  }

  /** No copy is registered any more, and checks are answered by Redis. */
  private static void refuseWrites(World world, String setting, String refusing, String ordinary)
      throws Exception {
    world.redis().call("CONFIG", "SET", setting, refusing);
    try {
      world.pause(1_500 + world.random().nextInt(1_000));
      for (Worker worker : world.workers()) {
        Wait.upTo(
            10,
            worker.name() + " decides without a lease",
            () -> worker.ask("check products one " + Ledger.FIRST_ABSENT).startsWith("A"));
      }
    } finally {
      world.redis().call("CONFIG", "SET", setting, ordinary);
    }
  }

  /** Keys without rows, so that nothing but the filter bounds their number in a moment. */
  private static void burst(World world) throws Exception {
    int late = world.random().nextInt(World.SHOPS);
    Worker reader = world.worker(late);
    FaultProxy way = ((StandaloneRedis) world.redis()).proxy(late);
    ConcurrentLinkedQueue<Long> added = new ConcurrentLinkedQueue<>();
    way.delayAnswers(LATE_MILLIS);
    try {
      world.pause(LATE_MILLIS);
      for (int i = 0; i < BURST; i++) {
        for (Worker writer : world.workers()) {
          if (writer != reader) {
            add(world, writer, added);
          }
        }
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
      while (System.nanoTime() - end < 0) {
        if (!added.isEmpty()) {
          world.traffic().sweep(List.of(reader), List.copyOf(added), "one of many added at once");
        }
      }
    } finally {
      way.delayAnswers(0);
    }
    if (added.size() < BURST) {
      throw new IOException("only " + added.size() + " adds were acknowledged");
    }
  }

  private static void add(World world, Worker writer, ConcurrentLinkedQueue<Long> added) {
    long key = world.ledger().fresh();
    CompletableFuture<String> answer = writer.send("add products " + key);
    answer.thenAccept(
        said -> {
          if (said.equals("ok")) {
            added.add(key);
            world.traffic().askOthers(writer, key, "right after its add");
          }
        });
  }

  /** As a rolling change does it, until each shop has had each, and back. */
  private static void rollLengths(World world) throws Exception {
    List<List<String>> settings =
        List.of(
            List.of(withoutCopy("products")), List.of(LEASE + "100ms"), List.of(LEASE + "1500ms"));
    try {
      for (int round = 0; round < settings.size(); round++) {
        for (int i = 0; i < World.SHOPS; i++) {
          restart(world, world.worker(i), settings.get((round + i) % settings.size()));
        }
        stopped(world, 50, 2_000);
      }
    } finally {
      for (Worker worker : world.workers()) {
        restart(world, worker, List.of());
      }
    }
  }

  private static void restart(World world, Worker worker, List<String> settings) throws Exception {
    worker.settings(settings);
    worker.restart();
    world.awaitInserts(20);
  }
}
