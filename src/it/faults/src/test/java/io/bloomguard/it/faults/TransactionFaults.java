package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Transactions that last, and loads that meet them or outlive their lease. */
final class TransactionFaults {

  /** Nobody may have to wait for the end of a lease whose load is through. */
  private static final Duration SHORTER_THAN_A_LEASE = Duration.ofSeconds(3);

  private TransactionFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("transaction open across rebuilds", TransactionFaults::held).times(1, 5),
        fault("transaction open past the retention", TransactionFaults::heldLong).times(0, 3),
        fault("insert between database miss and null", w -> w.pause(3_000)).times(1, 10),
        fault("load outlives its lease and fails", TransactionFaults::lateFailure).times(0, 3));
  }

  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike);
  }

  private static void held(World world) throws Exception {
    long id = world.ledger().fresh();
    Loads.OfKey loads = Loads.anew(id);
    // A filter that passes the key, as a false positive does.
    world.worker(0).ask("put " + id);
    expectGet(world.worker(0), id, "null");
    expectGet(world.worker(1), id, "null");
    expectLoads(loads, 1, "the null entry was kept");

    CompletableFuture<String> held = hold(world, "products", id);
    // Another writer of the key comes and goes; the barrier of the first must stand.
    world.worker(2).ask("put " + id);
    expectGet(world.worker(0), id, "null");
    expectGet(world.worker(2), id, "null");
    expectLoads(loads, 3, "nothing was stored under the barrier");
    world.rebuild(world.worker(0), "products", 20);
    world.rebuild(world.worker(2), "products", 20);

    // Reads before the commit, comes back after it.
    CompletableFuture<String> early = world.worker(0).send("get " + id + " 600");
    Wait.upTo(10, "the load begins", () -> loads.count() == 4);
    release(world, id, held);
    world.ledger().acknowledge(id);
    early.get(10, TimeUnit.SECONDS);
    for (Worker worker : world.workers()) {
      expectGet(worker, id, "value");
    }
    expectLoads(loads, 5, "the row was kept");
  }

  private static void heldLong(World world) throws Exception {
    long id = world.ledger().fresh();
    CompletableFuture<String> held = hold(world, "brief", id);
    // More than twice what filter brief remembers.
    world.pause(5_000);
    world.rebuild(world.worker(0), "brief", 20);
    release(world, id, held);
    for (Worker worker : world.workers()) {
      if (worker.ask("check brief one " + id).startsWith("A")) {
        world.traffic().tally().wrong(worker.name() + " rejected " + id + " of filter brief");
      }
    }
    // Filter products never heard of this row.
    world.rebuild(world.worker(0), "products", 20);
  }

  /** The lease that it would give back is another's by then. */
  private static void lateFailure(World world) throws Exception {
    long id = world.ledger().cold();
    Loads.OfKey loads = Loads.anew(id);
    world.worker(0).send("get " + id + " -4600");
    Wait.upTo(10, "the first load begins", () -> loads.count() == 1);
    CompletableFuture<String> second = world.worker(1).send("get " + id + " 2500");
    Wait.upTo(10, "the second load begins", () -> loads.count() == 2);
    world.pause(1_200);
    CompletableFuture<String> third = world.worker(2).send("get " + id + " 0");
    for (CompletableFuture<String> answer : List.of(second, third)) {
      String got = answer.get(15, TimeUnit.SECONDS);
      if (!got.equals("value")) {
        throw new IOException("a caller got " + got);
      }
    }
    expectLoads(loads, 2, "the second lease held");
  }

  /** A row that is added to the filter and visible only after {@link #release}. */
  static CompletableFuture<String> hold(World world, String filter, long id) throws Exception {
    CompletableFuture<String> held = world.worker(1).send("hold " + filter + " " + id);
    Wait.upTo(10, "the transaction", () -> world.worker(1).ask("held " + id).equals("true"));
    return held;
  }

  static void release(World world, long id, CompletableFuture<String> held) throws Exception {
    world.worker(1).ask("release " + id);
    String answer = held.get(10, TimeUnit.SECONDS);
    if (!answer.equals("ok")) {
      throw new IOException("the transaction that was held open: " + answer);
    }
  }

  private static void expectGet(Worker worker, long id, String expected) throws Exception {
    String answer = worker.ask("get " + id + " 0", SHORTER_THAN_A_LEASE);
    if (!answer.equals(expected)) {
      throw new IOException(worker.name() + " answered " + answer + " instead of " + expected);
    }
  }

  private static void expectLoads(Loads.OfKey loads, int expected, String what) throws IOException {
    if (loads.count() != expected) {
      throw new IOException(loads.count() + " loads instead of " + expected + ", if " + what);
    }
  }
}
