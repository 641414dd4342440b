package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Sources that hang or fail, in builds and in what is read again after a loss. */
final class SourceFaults {

  private static final String NEWS = "bloomguard:{news:0}:";

  /** Older than what a process notices at once. */
  private static final long OLD_MILLIS = 2_500;

  /** Until filter {@code news} must have been settled, or built anew, and decide again. */
  private static final int SECONDS = 60;

  private SourceFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("rows of other programs cannot be read after a loss", SourceFaults::refillFails)
            .times(1, 2),
        fault("process stopped as it reads after a loss", SourceFaults::stoppedInRefill)
            .times(0, 2),
        fault("process stopped as it reads what is recent", SourceFaults::stoppedInReading)
            .times(0, 2),
        fault("recent-query hangs after a loss", SourceFaults::refillHangs).times(1, 2),
        fault("two sources hang in builds", SourceFaults::scansHang).times(1, 2));
  }

  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike).excusing(2).within(60);
  }

  /**
   * A row is known only by a process that is no more, Redis loses it, and nobody can read it again:
   * the filter is built anew, and the image without it is not kept to be rolled back to.
   */
  private static void refillFails(World world) throws Exception {
    awaitDecided(world.workers());
    List<Gate> gates = new ArrayList<>();
    for (Worker worker : world.workers()) {
      gates.add(Gate.failing(worker, "news", "recent"));
    }
    for (Gate gate : gates) {
      gate.awaitQuery();
    }
    Map<String, byte[]> before = dump(world);
    world.pause(OLD_MILLIS);
    long row = world.ledger().fresh();
    try (Worker reader = world.startAnother("shop-reader", null, List.of())) {
      world.database().insertNews(row);
      Wait.upTo(30, "the row is read", () -> answers(world.workers(), row, 'P'));
    }
    restore(world, before);
    Wait.upTo(
        SECONDS,
        "a filter with the row decides",
        () -> {
          expectNotDenied(world.workers(), row);
          return answers(world.workers(), row, 'P') && areDecided(world.workers());
        });
    int status = world.worker(1).act("news", "rollback").join();
    expectNotDenied(world.workers(), row);
    if (status == 202) {
      throw new IOException("what lacks a row was rolled back to");
    }
  }

  /** The others do not wait for it for ever, and when it goes on it denies nothing. */
  private static void stoppedInRefill(World world) throws Exception {
    awaitDecided(world.workers());
    long row = readRow(world);
    Worker victim = world.worker(0);
    List<Worker> others = world.workers().subList(1, world.workers().size());
    Gate gate = Gate.hanging(victim, "news", "recent");
    gate.awaitQuery();
    int before = gate.count();
    world.redis().call("DEL", NEWS + "journal");
    Wait.within(10, () -> gate.count() > before);
    victim.stop();
    try {
      gate.open();
      Wait.upTo(
          SECONDS,
          "the others decide",
          () -> {
            expectNotDenied(others, row);
            return areDecided(others);
          });
    } finally {
      victim.resume();
    }
    Wait.upTo(
        SECONDS,
        "all decide",
        () -> {
          expectNotDenied(world.workers(), row);
          return areDecided(world.workers());
        });
  }

  /** One that stands still with a row in its hands keeps it from nobody. */
  private static void stoppedInReading(World world) throws Exception {
    awaitDecided(world.workers());
    Worker victim = world.worker(0);
    List<Worker> others = world.workers().subList(1, world.workers().size());
    Gate gate = Gate.hanging(victim, "news", "recent");
    gate.awaitQuery();
    victim.stop();
    long row = world.ledger().fresh();
    try {
      gate.open();
      world.database().insertNews(row);
      Wait.upTo(30, "the others read the row", () -> answers(others, row, 'P'));
      world.rebuild(others.get(0), "news", 30);
      expectNotDenied(others, row);
    } finally {
      victim.resume();
    }
    Wait.upTo(
        SECONDS,
        "all know the row",
        () -> areDecided(world.workers()) && answers(world.workers(), row, 'P'));
    expectNotDenied(world.workers(), row);
  }

  /** The reading of one process misses its deadline: nobody waits for it any longer. */
  private static void refillHangs(World world) throws Exception {
    awaitDecided(world.workers());
    long row = readRow(world);
    Gate gate = Gate.hanging(world.worker(0), "news", "recent");
    gate.awaitQuery();
    Object losses = world.redis().call("HGET", NEWS + "head", "losses");
    world.redis().call("DEL", NEWS + "journal");
    Wait.upTo(
        20,
        "the loss is noticed",
        () -> !losses.equals(world.redis().call("HGET", NEWS + "head", "losses")));
    Wait.upTo(
        SECONDS,
        "all decide while it hangs",
        () -> {
          expectNotDenied(world.workers(), row);
          return areDecided(world.workers()) && serves(world);
        });
    gate.open();
  }

  /** Whether the loss is over: the head names an epoch again. */
  private static boolean serves(World world) throws Exception {
    return world.redis().call("HGET", NEWS + "head", "epoch") != null;
  }

  /** They take the threads of one process' builds, and nothing of the others'. */
  private static void scansHang(World world) throws Exception {
    Worker victim = world.worker(0);
    Worker other = world.worker(1);
    List<Gate> gates =
        List.of(Gate.hanging(victim, "news", "scan"), Gate.hanging(victim, "brief", "scan"));
    begin(victim, "news");
    begin(victim, "brief");
    for (Gate gate : gates) {
      gate.awaitQuery();
    }
    // It may begin or be queued; it takes no lock that it cannot use.
    CompletableFuture<Integer> third = victim.requestRebuild("products");
    world.rebuild(other, "products", 30);
    int status = victim.cancelRebuild("brief").join();
    if (status != 204) {
      throw new IOException("a cancel was answered with " + status);
    }
    Wait.upTo(
        10,
        "a cancelled build gives its lock back",
        () -> world.redis().call("GET", "bloomguard:{brief:0}:lock") == null);
    world.rebuild(other, "brief", 30);
    Wait.upTo(
        SECONDS,
        "a source that yields nothing fails its build",
        () -> world.redis().call("GET", NEWS + "lock") == null);
    third.join();
    gates.forEach(Gate::open);
    world.rebuild(other, "news", 30);
  }

  private static void begin(Worker worker, String filter) throws Exception {
    Wait.upTo(20, filter + " begins", () -> worker.requestRebuild(filter).join().equals(202));
  }

  /** A row of another program that all processes have read. */
  private static long readRow(World world) throws Exception {
    long row = world.ledger().fresh();
    world.database().insertNews(row);
    Wait.upTo(30, "a row is read", () -> answers(world.workers(), row, 'P'));
    return row;
  }

  private static void awaitDecided(List<Worker> workers) throws Exception {
    Wait.upTo(SECONDS, "filter news decides", () -> areDecided(workers));
  }

  private static boolean areDecided(List<Worker> workers) throws Exception {
    return answers(workers, Ledger.FIRST_ABSENT, 'A');
  }

  private static boolean answers(List<Worker> workers, long key, char expected) throws Exception {
    for (Worker worker : workers) {
      if (worker.ask("check news one " + key).charAt(0) != expected) {
        return false;
      }
    }
    return true;
  }

  /** Thrown past everything that waits: a denied row is never put right again. */
  private static void expectNotDenied(List<Worker> workers, long row) throws Exception {
    for (Worker worker : workers) {
      if (worker.ask("check news one " + row).charAt(0) == 'A') {
        throw new AssertionError(worker.name() + " rejected row " + row + " of filter news");
      }
    }
  }

  private static Map<String, byte[]> dump(World world) throws Exception {
    Map<String, byte[]> dumps = new LinkedHashMap<>();
    for (Object key : (List<?>) world.redis().call("KEYS", NEWS + "*")) {
      String dumped = (String) world.redis().call("DUMP", key);
      dumps.put((String) key, dumped.getBytes(StandardCharsets.ISO_8859_1));
    }
    return dumps;
  }

  private static void restore(World world, Map<String, byte[]> dumps) throws Exception {
    for (Map.Entry<String, byte[]> dump : dumps.entrySet()) {
      world.redis().call("RESTORE", dump.getKey(), 0, dump.getValue(), "REPLACE");
    }
  }
}
