package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Processes that die, stand still or differ, and transactions that last. */
final class ProcessFaults {

  /** The real lifetime of a build's lock is 30 s. */
  private static final long PAST_LOCK_MILLIS = 32_000;

  private static final long LEASE_MILLIS = 4_000;

  private ProcessFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("kill -9 of the rebuild leader", world -> leaderKilled(world, false))
            .excusing(2)
            .times(1, 5),
        fault("kill -9 of the rebuild leader, lock kept", world -> leaderKilled(world, true))
            .excusing(2)
            .times(0, 1),
        fault("rebuild leader stopped past its lock, goes on", w -> leaderStopped(w, false))
            .excusing(2)
            .times(1, 2),
        fault("rebuild leader stopped for 32 s, goes on", w -> leaderStopped(w, true))
            .excusing(2)
            .times(0, 1),
        fault("nodes with different properties", ProcessFaults::differentProperties).times(0, 1),
        fault("clock of one node an hour ahead", ProcessFaults::clockAhead).times(0, 1),
        fault("kill -9 after the add", world -> death(world, "added", true))
            .excusing(2)
            .times(0, 2),
        fault("kill -9 before the commit", w -> death(w, "inserted", true)).excusing(2).times(0, 2),
        fault("kill -9 before the completion", world -> death(world, "committed", false))
            .excusing(2)
            .times(1, 2),
        fault("kill -9 before the completion, null known", w -> death(w, "committed", true))
            .excusing(2)
            .times(0, 2),
        fault("kill -9 of a lease holder", ProcessFaults::holderKilled).excusing(2).times(1, 3));
  }

  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike);
  }

  private static void leaderKilled(World world, boolean forReal) throws Exception {
    Worker leader = world.worker(0);
    leader.ask("pause 60");
    leader.requestRebuild("products").join();
    world.pause(world.random().nextInt(1_200));
    leader.kill();
    world.awaitInserts(20);
    leader.restart();
    if (!forReal) {
      endLock(world);
    }
    // Its lock ends with its lifetime; then somebody else can build.
    world.rebuild(world.worker(1), "products", 45);
  }

  private static void leaderStopped(World world, boolean forReal) throws Exception {
    Worker leader = world.worker(0);
    Worker other = world.worker(1);
    leader.ask("pause 100");
    leader.requestRebuild("products").join();
    world.pause(200 + world.random().nextInt(1_500));
    leader.stop();
    try {
      if (forReal) {
        world.pause(PAST_LOCK_MILLIS);
      } else {
        endLock(world);
      }
      world.rebuild(other, "products", 20);
      world.awaitInserts(20);
    } finally {
      leader.resume();
    }
    long generation = World.generation(other, "products");
    // It comes to its end, and finds that it is no leader any more.
    world.pause(3_000);
    leader.ask("pause 0");
    if (World.generation(other, "products") != generation) {
      throw new IOException("the stopped leader published");
    }
  }

  /** What time would do. */
  static void endLock(World world) throws Exception {
    world.redis().call("DEL", Redis.PARTITION + "lock");
  }

  private static void differentProperties(World world) throws Exception {
    String products = "--bloomguard.filters.products.";
    Worker odd =
        world.startAnother(
            "shop-odd",
            null,
            List.of(
                products + "expected-insertions=250000",
                products + "false-positive-probability=0.01"));
    takeTurns(world, odd);
  }

  /** Every reading of the wall clock in the library, for one node, is an hour later. */
  private static void clockAhead(World world) throws Exception {
    ChangedLibrary library = new ChangedLibrary("clock");
    for (String source : ChangedLibrary.javaSources()) {
      String text = ChangedLibrary.source(source);
      if (ChangedLibrary.hourAhead(text).equals(text) || source.contains("/server/")) {
        continue;
      }
      library.change(source, ChangedLibrary::hourAhead);
    }
    takeTurns(world, world.startAnother("shop-ahead", library.compiled(), List.of()));
  }

  /** One node that differs builds, inserts and checks in turn with those that do not. */
  private static void takeTurns(World world, Worker odd) throws Exception {
    try (odd) {
      for (int i = 0; i < 3; i++) {
        for (Worker builder : List.of(odd, world.worker(1))) {
          world.rebuild(builder, "products", 20);
          for (int j = 0; j < 20; j++) {
            world.traffic().insert(odd, world.ledger().fresh(), world.random());
          }
          world
              .traffic()
              .sweep(List.of(odd), world.ledger().latest(200), "as the one that differs");
        }
      }
    }
  }

  private static void death(World world, String moment, boolean nullKnown) throws Exception {
    Worker victim = world.worker(2);
    long id = world.ledger().fresh();
    if (nullKnown) {
      // A filter that passes the key, as a false positive does.
      world.worker(0).ask("put " + id);
      world.worker(0).ask("get " + id + " 0");
    }
    CompletableFuture<String> death = victim.send("die " + moment + " " + id);
    Wait.upTo(10, "death", () -> death.isCompletedExceptionally() && !victim.isAlive());
    boolean visible = Wait.within(2, () -> world.database().has(id));
    if (visible != moment.equals("committed")) {
      throw new IOException("the row is " + (visible ? "" : "not ") + "visible");
    }
    if (visible) {
      world.ledger().acknowledge(id);
    }
    victim.restart();
    // Longer than a null entry lives.
    world.pause(3_000);
    String expected = visible ? "value" : "null";
    for (Worker worker : world.workers()) {
      String answer = worker.ask("get " + id + " 0");
      if (!answer.equals(expected)) {
        throw new IOException("after the death get answered " + answer);
      }
    }
  }

  private static void holderKilled(World world) throws Exception {
    long id = world.ledger().cold();
    Loads.OfKey loads = Loads.anew(id);
    Worker holder = world.worker(0);
    holder.send("get " + id + " 3500");
    Wait.upTo(10, "the load begins", () -> loads.count() == 1);
    holder.kill();
    List<CompletableFuture<String>> waiting =
        List.of(
            world.worker(1).send("get " + id + " 0"),
            world.worker(2).send("get " + id + " 0"),
            world.worker(2).send("get " + id + " 0"));
    for (CompletableFuture<String> answer : waiting) {
      String got = answer.get(20, TimeUnit.SECONDS);
      if (!got.equals("value")) {
        throw new IOException("a caller who waited for the lease got " + got);
      }
    }
    holder.restart();
    List<Long> begun = loads.begun();
    long apart = begun.size() < 2 ? 0 : TimeUnit.NANOSECONDS.toMillis(begun.get(1) - begun.get(0));
    if (begun.size() != 2 || apart < LEASE_MILLIS - 700) {
      throw new IOException(begun.size() + " loads, " + apart + " ms apart");
    }
  }
}
