package io.bloomguard.it.faults;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What goes wrong on the way of changes that other programs commit. */
final class FeedFaults {

  /** Longer than values live, with their jitter. */
  private static final long VALUES_GONE_MILLIS = 20_000;

  private static final long TAKE_OVER_SECONDS = 15;
  private static final long LONGER_THAN_MAX_LAG = 9_000;

  private FeedFaults() {}

  /**
   * A fault of a feed.
   *
   * @param strike makes it, and mends it
   */
  record FeedFault(String name, Strike strike) {}

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
        new FeedFault("feed: kill -9 of the reader", FeedFaults::readerKilled),
        new FeedFault(
            "feed: reader stopped, goes on after another took over", FeedFaults::readerStopped),
        new FeedFault("feed: kill -9 of all shops in turn", FeedFaults::allKilled),
        new FeedFault("feed: kill -9 of Kafka", w -> kafkaAway(w, 0)),
        new FeedFault("feed: Kafka away", w -> kafkaAway(w, LONGER_THAN_MAX_LAG)),
        new FeedFault("feed: network to Kafka swallows", FeedFaults::kafkaDark),
        new FeedFault("feed: connections to Kafka cut", FeedFaults::kafkaReset),
        new FeedFault("feed: connector stands still", FeedFaults::connectorStands),
        new FeedFault("feed: database restarted", w -> w.database().restart(2_000)),
        new FeedFault("feed: FLUSHALL", w -> w.redis().call("FLUSHALL")),
        new FeedFault("feed: Redis comes back from an old RDB", FeedFaults::oldDump),
        new FeedFault("feed: Redis dark for the reader", FeedFaults::redisDark),
        new FeedFault("feed: topic trimmed beyond the position", FeedFaults::trimmed),
        new FeedFault("feed: rebuilds", FeedFaults::rebuilds),
        new FeedFault("feed: truncate", FeedFaults::truncated));
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

  private static void kafkaAway(FeedWorld world, long millis) throws Exception {
    world.kafka().kill();
    world.pause(millis);
    world.kafka().start();
  }

  private static void kafkaDark(FeedWorld world) throws Exception {
    world.kafka().proxy().blackhole(true);
    world.pause(LONGER_THAN_MAX_LAG);
    world.kafka().proxy().blackhole(false);
  }

  private static void kafkaReset(FeedWorld world) throws Exception {
    for (int i = 0; i < 20; i++) {
      world.kafka().proxy().reset();
      world.pause(150);
    }
  }

  private static void connectorStands(FeedWorld world) throws Exception {
    world.connector().stand(true);
    world.pause(LONGER_THAN_MAX_LAG);
    world.connector().stand(false);
  }

  /** The dump has values whose changes came after it, and no feed tells of them again. */
  private static void oldDump(FeedWorld world) throws Exception {
    RedisProcess redis = world.redis().partition();
    redis.call("SAVE");
    world.pause(3_000);
    world.judge().pauseValues(VALUES_GONE_MILLIS);
    redis.kill();
    redis.start(RedisProcess.Held.DUMP);
    redis.deleteDump();
    world.judge().pauseValues(VALUES_GONE_MILLIS);
  }

  private static void redisDark(FeedWorld world) throws Exception {
    Worker reader = world.reader("items");
    FaultProxy proxy = world.redis().proxy(world.shops().indexOf(reader));
    proxy.blackhole(true);
    world.pause(LONGER_THAN_MAX_LAG);
    proxy.blackhole(false);
  }

  /** What was trimmed drops no value. */
  private static void trimmed(FeedWorld world) throws Exception {
    world.kafka().proxy().refuse();
    world.pause(2_000);
    world.judge().pauseValues(VALUES_GONE_MILLIS);
    world.kafka().trim();
    world.kafka().proxy().open();
    world.pause(1_000);
    world.judge().pauseValues(VALUES_GONE_MILLIS);
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
