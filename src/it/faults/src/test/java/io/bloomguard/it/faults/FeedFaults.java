package io.bloomguard.it.faults;

import io.bloomguard.it.faults.FeedWay.Kind;
import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What goes wrong on the way of changes that other programs commit. */
final class FeedFaults {

  private static final long TAKE_OVER_SECONDS = 15;
  private static final long LONGER_THAN_MAX_LAG = 9_000;

  private FeedFaults() {}

  /**
   * A fault of a feed.
   *
   * @param inShort whether the short form has it
   * @param keepsPosition whether the feed goes on where it was: no build is needed
   * @param strike makes it, and mends it
   */
  record FeedFault(String name, Kind way, boolean inShort, boolean keepsPosition, Strike strike) {

    FeedFault alsoInShort() {
      return new FeedFault(name, way, true, keepsPosition, strike);
    }

    FeedFault withBuild() {
      return new FeedFault(name, way, inShort, false, strike);
    }
  }

  /** Makes a fault once. */
  @FunctionalInterface
  interface Strike {
    void on(FeedWorld world) throws Exception;
  }

  /** Those whose name has what a pattern describes. */
  static List<FeedFault> matching(Pattern only) {
    List<FeedFault> matching = new ArrayList<>(all());
    matching.removeIf(fault -> !only.matcher(fault.name()).find());
    return matching;
  }

  private static List<FeedFault> all() {
    return List.of(
        kafka("kill -9 of the reader", FeedFaults::readerKilled).alsoInShort(),
        kafka("reader stopped, goes on after another took over", FeedFaults::readerStopped),
        kafka("kill -9 of all shops in turn", FeedFaults::allKilled),
        kafka("kill -9 of Kafka", w -> kafkaAway(w, 0)),
        kafka("Kafka away", w -> kafkaAway(w, LONGER_THAN_MAX_LAG)).alsoInShort(),
        kafka("network to Kafka swallows", w -> dark(w, List.of(w.connector().kafka().proxy()))),
        kafka("connections to Kafka cut", w -> cut(w, List.of(w.connector().kafka().proxy()))),
        kafka("connector stands still", FeedFaults::connectorStands),
        kafka("database restarted", w -> w.database().restart(2_000)),
        kafka("FLUSHALL", w -> w.redis().call("FLUSHALL")).withBuild().alsoInShort(),
        kafka("Redis comes back from an old RDB", FeedFaults::oldDump).withBuild(),
        kafka("Redis dark for the reader", FeedFaults::redisDark),
        kafka("topic trimmed beyond the position", FeedFaults::trimmed).withBuild().alsoInShort(),
        kafka("rebuilds", FeedFaults::rebuilds).withBuild(),
        kafka("truncate", FeedFaults::truncated).withBuild(),
        database("kill -9 of the reader", FeedFaults::readerKilled),
        database("reader stopped, goes on after another took over", FeedFaults::readerStopped)
            .alsoInShort(),
        database("kill -9 of all shops in turn", FeedFaults::allKilled),
        database("restarted", w -> w.database().restart(2_000)),
        database("kill -9", w -> w.database().crash(0)),
        database("away", w -> w.database().crash(LONGER_THAN_MAX_LAG)),
        database("network swallows", w -> dark(w, w.database().proxies())),
        database("network of the reader swallows", FeedFaults::readerCutOff),
        database("connections cut", w -> cut(w, w.database().proxies())),
        database("slots dropped", FeedFaults::slotsDropped).withBuild(),
        database("slots made again", FeedFaults::slotsMadeAgain).withBuild().alsoInShort(),
        database("FLUSHALL", w -> w.redis().call("FLUSHALL")).withBuild(),
        database("Redis comes back from an old RDB", FeedFaults::oldDump).withBuild(),
        database("Redis dark for the reader", FeedFaults::redisDark).alsoInShort(),
        database("rebuilds", FeedFaults::rebuilds).withBuild(),
        database("truncate", FeedFaults::truncated).withBuild());
  }

  private static FeedFault kafka(String name, Strike strike) {
    return new FeedFault("feed: " + name, Kind.KAFKA, false, true, strike);
  }

  private static FeedFault database(String name, Strike strike) {
    return new FeedFault("feed: database, " + name, Kind.DATABASE, false, true, strike);
  }

  private static void readerKilled(FeedWorld world) throws Exception {
    Worker reader = world.reader("items");
    reader.kill();
    awaitAnother(world, reader);
    reader.start();
    reader.awaitStarted();
  }

  private static void awaitAnother(FeedWorld world, Worker gone) throws Exception {
    List<Worker> others = world.shops().stream().filter(shop -> shop != gone).toList();
    long[] before = {
      FeedWorld.applied(others.get(0), "items"), FeedWorld.applied(others.get(1), "items")
    };
    Wait.upTo(
        TAKE_OVER_SECONDS,
        "another shop reads",
        () ->
            FeedWorld.applied(others.get(0), "items") > before[0]
                || FeedWorld.applied(others.get(1), "items") > before[1]);
    for (Worker other : others) {
      Wait.upTo(
          TAKE_OVER_SECONDS, other.name() + " decides", () -> FeedWorld.decides(other, "items"));
    }
  }

  /** What it passes when it goes on is refused. */
  private static void readerStopped(FeedWorld world) throws Exception {
    Worker reader = world.reader("items");
    reader.stop();
    try {
      awaitAnother(world, reader);
    } finally {
      reader.resume();
    }
  }

  private static void allKilled(FeedWorld world) throws Exception {
    for (Worker shop : world.shops()) {
      shop.restart();
    }
  }

  private static void readerCutOff(FeedWorld world) throws Exception {
    Worker reader = world.reader("items");
    FaultProxy proxy = world.database().proxy(world.shops().indexOf(reader));
    proxy.blackhole(true);
    try {
      awaitAnother(world, reader);
    } finally {
      proxy.blackhole(false);
    }
  }

  private static void kafkaAway(FeedWorld world, long millis) throws Exception {
    KafkaProcess kafka = world.connector().kafka();
    kafka.kill();
    world.pause(millis);
    kafka.start();
  }

  private static void dark(FeedWorld world, List<FaultProxy> proxies) throws Exception {
    proxies.forEach(proxy -> proxy.blackhole(true));
    world.pause(LONGER_THAN_MAX_LAG);
    proxies.forEach(proxy -> proxy.blackhole(false));
  }

  private static void cut(FeedWorld world, List<FaultProxy> proxies) throws Exception {
    for (int i = 0; i < 20; i++) {
      proxies.forEach(FaultProxy::reset);
      world.pause(150);
    }
  }

  private static void connectorStands(FeedWorld world) throws Exception {
    world.connector().stand(true);
    world.pause(LONGER_THAN_MAX_LAG);
    world.connector().stand(false);
  }

  /** The dump has values whose changes came after it: they are read again from its position. */
  private static void oldDump(FeedWorld world) throws Exception {
    RedisProcess redis = world.redis().partition();
    redis.call("SAVE");
    world.pause(3_000);
    redis.kill();
    redis.start(RedisProcess.Held.DUMP);
    redis.deleteDump();
  }

  private static void redisDark(FeedWorld world) throws Exception {
    Worker reader = world.reader("items");
    dark(world, List.of(world.redis().proxy(world.shops().indexOf(reader))));
  }

  /** What was trimmed tells of no row: all values must go. */
  private static void trimmed(FeedWorld world) throws Exception {
    KafkaProcess kafka = world.connector().kafka();
    kafka.proxy().refuse();
    world.pause(2_000);
    kafka.trim();
    kafka.proxy().open();
    world.pause(1_000);
  }

  /** What a slot would have kept tells of no row, either. */
  private static void slotsDropped(FeedWorld world) throws Exception {
    for (String slot : world.database().texts("select slot_name from pg_replication_slots")) {
      dropSlot(world.database(), slot);
    }
  }

  /** By somebody else, after changes that nobody kept. */
  private static void slotsMadeAgain(FeedWorld world) throws Exception {
    PostgresProcess database = world.database();
    for (String slot : database.texts("select slot_name from pg_replication_slots")) {
      Wait.upTo(
          TAKE_OVER_SECONDS,
          slot + " made again",
          () -> {
            dropSlot(database, slot);
            world.pause(300);
            database.texts("select pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
            return true;
          });
    }
  }

  private static void dropSlot(PostgresProcess database, String slot) throws Exception {
    String found = " from pg_replication_slots where slot_name = '" + slot + "'";
    Wait.upTo(
        TAKE_OVER_SECONDS,
        "the end of " + slot,
        () -> {
          database.texts("select pg_terminate_backend(active_pid)" + found + " and active");
          database.texts("select pg_drop_replication_slot(slot_name)" + found);
          return true;
        });
  }

  private static void rebuilds(FeedWorld world) throws Exception {
    for (int i = 0; i < 5; i++) {
      for (String filter : FeedWorld.FILTERS) {
        world.anyShop().requestRebuild(filter).join();
      }
      world.pause(400);
    }
  }

  private static void truncated(FeedWorld world) throws Exception {
    world.rows().truncate();
  }
}
