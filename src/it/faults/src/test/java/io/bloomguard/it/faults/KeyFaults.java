package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;
import static io.bloomguard.it.faults.Redis.PARTITION;

import io.bloomguard.it.support.Wait;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Accidents with the keys of a filter. */
final class KeyFaults {

  private static final String HEAD = PARTITION + "head";
  private static final String JOURNAL = PARTITION + "journal";

  /** Older than what a process notices at once. */
  static final long OLD_MILLIS = 2_500;

  private static final Fault.Strike NO_SWAP = world -> {};
  private static final Fault.Strike SWAP = world -> world.rebuild(world.worker(1), "products", 20);

  private KeyFaults() {}

  static List<Fault> all() {
    List<Fault> faults = new ArrayList<>();
    faults.add(fault("FLUSHALL", world -> world.redis().call("FLUSHALL")).losesCache());
    faults.add(fault("DEL image", world -> delete(world, world.redis().image())));
    faults.add(fault("DEL head", world -> delete(world, HEAD)).times(0, 2));
    faults.add(fault("DEL journal", world -> delete(world, JOURNAL)).times(0, 2));
    faults.add(fault("DEL journal during a build", KeyFaults::deleteJournalDuringBuild));
    faults.add(fault("EXPIRE image", w -> expire(w, w.redis().image())).times(0, 2));
    faults.add(fault("EXPIRE head", world -> expire(world, HEAD)).times(0, 2));
    faults.add(fault("EXPIRE journal", world -> expire(world, JOURNAL)).times(0, 2));
    faults.add(fault("image cut in half", world -> truncate(world, 2)));
    faults.add(fault("image without its end", world -> truncate(world, 0)).times(0, 2));
    faults.add(fault("image of a wrong type", w -> retype(w, w.redis().image())).times(0, 2));
    faults.add(fault("head of a wrong type", world -> retype(world, HEAD)).times(0, 2));
    faults.add(fault("journal of a wrong type", world -> retype(world, JOURNAL)).times(0, 2));
    faults.add(fault("bits of another filter", KeyFaults::foreign));
    faults.add(fault("older image restored", w -> restore(w, "image:", NO_SWAP)));
    faults.add(fault("older head restored", w -> restore(w, "head", NO_SWAP)).times(0, 2));
    faults.add(
        fault("head from before a swap restored", w -> restore(w, "head", SWAP)).times(0, 2));
    faults.add(
        fault("older journal restored during a build", KeyFaults::restoreJournal).times(0, 2));
    faults.add(fault("older partition restored", world -> restore(world, "", NO_SWAP)));
    faults.add(
        fault("partition from before a swap restored", w -> restore(w, "", SWAP)).times(0, 2));
    faults.add(fault("LRU eviction", KeyFaults::evict).losesCache().excusing(12).times(0, 2));
    return faults;
  }

  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike);
  }

  private static void delete(World world, String key) throws Exception {
    world.redis().call("DEL", key);
  }

  /** The build must not be published without what the journal held. */
  private static void deleteJournalDuringBuild(World world) throws Exception {
    Worker builder = startSlowBuild(world);
    world.awaitInserts(20);
    delete(world, JOURNAL);
    endBuild(world, builder);
  }

  /** A build that has read its source and hands its keys out slowly. */
  private static Worker startSlowBuild(World world) throws Exception {
    Worker builder = world.worker(0);
    builder.ask("pause 500");
    Wait.upTo(20, "rebuild begins", () -> builder.requestRebuild("products").join().equals(202));
    return builder;
  }

  /** It comes to its end, published or given up. */
  private static void endBuild(World world, Worker builder) throws Exception {
    builder.ask("pause 0");
    Wait.upTo(20, "rebuild ends", () -> world.redis().call("HGET", HEAD, "building") == null);
  }

  private static void expire(World world, String key) throws Exception {
    world.redis().call("PEXPIRE", key, 100);
    world.pause(300);
  }

  private static void truncate(World world, int divisor) throws Exception {
    String image = world.redis().image();
    long length = (Long) world.redis().call("STRLEN", image);
    long kept = divisor == 0 ? length - 8 : length / divisor;
    byte[] bytes = bytes(world.redis().call("GETRANGE", image, 0, kept - 1));
    world.redis().call("SET", image, bytes);
  }

  private static void retype(World world, String key) throws Exception {
    Object type = world.redis().call("TYPE", key);
    world.redis().call("DEL", key);
    if ("string".equals(type)) {
      world.redis().call("RPUSH", key, "x");
    } else {
      world.redis().call("SET", key, "x");
    }
  }

  /** The whole image of filter {@code stock}, which lacks what was inserted into products. */
  private static void foreign(World world) throws Exception {
    Object id = world.redis().call("HGET", "bloomguard:{stock:0}:head", "serving");
    world
        .redis()
        .call("COPY", "bloomguard:{stock:0}:image:" + id, world.redis().image(), "REPLACE");
  }

  private static void restore(World world, String beginning, Fault.Strike meanwhile)
      throws Exception {
    restoreAll(
        world,
        PARTITION + beginning,
        struck -> {
          meanwhile.on(struck);
          struck.pause(OLD_MILLIS);
          struck.awaitInserts(50);
        });
  }

  /** Puts back what keys whose name begins like this held before something else happened. */
  static void restoreAll(World world, String beginning, Fault.Strike meanwhile) throws Exception {
    Map<String, byte[]> dumps = new LinkedHashMap<>();
    for (String key : world.redis().keys(beginning)) {
      dumps.put(key, bytes(world.redis().call("DUMP", key)));
    }
    meanwhile.on(world);
    for (Map.Entry<String, byte[]> dump : dumps.entrySet()) {
      world.redis().call("RESTORE", dump.getKey(), 0, dump.getValue(), "REPLACE");
    }
  }

  /** While a build runs that will replay it. */
  private static void restoreJournal(World world) throws Exception {
    Worker builder = startSlowBuild(world);
    restore(world, "journal", NO_SWAP);
    endBuild(world, builder);
  }

  private static void evict(World world) throws Exception {
    Redis redis = world.redis();
    long used = Long.parseLong(redis.partition().info("used_memory"));
    redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    redis.call("CONFIG", "SET", "maxmemory", used + (1 << 20));
    byte[] filler = new byte[20_000];
    try {
      for (int i = 0; i < 600; i++) {
        redis.call("SET", "filler:" + i, filler);
      }
      world.pause(500);
    } finally {
      redis.call("CONFIG", "SET", "maxmemory", 0);
      redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
      for (int i = 0; i < 600; i++) {
        redis.call("DEL", "filler:" + i);
      }
    }
  }

  private static byte[] bytes(Object text) {
    return ((String) text).getBytes(StandardCharsets.ISO_8859_1);
  }
}
