package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Rebuilds, more than anybody would want. */
final class RebuildFaults {

  private static final int AT_ONCE = 500;

  private RebuildFaults() {}

  static List<Fault> all() {
    return List.of(
        Fault.of(STANDALONE, "1,000 rebuild requests at once", w -> storm(w, 1_000))
            .excusing(12)
            .times(1, 0),
        Fault.of(STANDALONE, "10,000 rebuild requests at once", w -> storm(w, 10_000))
            .excusing(12)
            .times(0, 1),
        Fault.of(STANDALONE, "rollback to the generation before", RebuildFaults::rollback)
            .times(1, 3),
        Fault.of(STANDALONE, "20 swaps under inserts", world -> swaps(world, 20))
            .excusing(2)
            .times(1, 0),
        Fault.of(STANDALONE, "1,000 swaps under inserts", w -> swaps(w, 1_000))
            .excusing(2)
            .times(0, 1));
  }

  /** Exactly one may begin: one runs at a time, and its cooldown is longer than the storm. */
  private static void storm(World world, int requests) throws Exception {
    Semaphore places = new Semaphore(AT_ONCE);
    List<CompletableFuture<Integer>> sent = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      places.acquire();
      CompletableFuture<Integer> status =
          world.worker(i % world.workers().size()).requestRebuild("stock");
      sent.add(status.whenComplete((code, failure) -> places.release()));
    }
    Map<Integer, Integer> statuses = new TreeMap<>();
    for (CompletableFuture<Integer> status : sent) {
      statuses.merge(status.join(), 1, Integer::sum);
    }
    if (statuses.getOrDefault(202, 0) != 1
        || !List.of(202, 409, 429).containsAll(statuses.keySet())) {
      throw new IOException("answers by status: " + statuses);
    }
  }

  private static void rollback(World world) throws Exception {
    world.rebuild(world.worker(1), "products", 20);
    world.awaitInserts(50);
    int status = world.worker(2).act("products", "rollback").join();
    if (status != 202) {
      throw new IOException("rollback was answered with " + status);
    }
  }

  /**
   * Rows that only a rebuild finds are known in all shops once its end is reported, also in one
   * that stood still meanwhile. Every fourth time the generation before serves again first, which
   * lacks a row.
   */
  private static void swaps(World world, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      if (i % 4 == 3) {
        int status = world.worker(i % World.SHOPS).act("products", "rollback").join();
        if (status != 202) {
          throw new IOException("rollback was answered with " + status);
        }
      }
      long row = world.ledger().fresh();
      world.database().insertProduct(row);
      Worker builder = world.worker(world.random().nextInt(World.SHOPS));
      Worker stopped = world.worker((i + 1) % World.SHOPS);
      CompletableFuture<?> asked;
      try {
        world.rebuildAndReport(
            builder,
            "products",
            30,
            struck -> {
              if (stopped != builder) {
                stopped.stop();
              }
            });
        asked = world.traffic().askOthers(null, row, "right after the rebuild that found it");
      } finally {
        stopped.resume();
      }
      asked.get(15, TimeUnit.SECONDS);
    }
  }
}
