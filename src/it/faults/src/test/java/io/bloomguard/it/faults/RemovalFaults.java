package io.bloomguard.it.faults;

import static io.bloomguard.it.faults.Fault.Where.STANDALONE;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Removals at the wrong moment, and accidents with the counters that they count down. */
final class RemovalFaults {

  private static final String CODES = "bloomguard:{codes:0}:";

  /** A share of them passes after its removal, as false positives do. */
  private static final int SEVERAL = 20;

  private static final Fault.Strike NO_SWAP = world -> {};
  private static final Fault.Strike SWAP = world -> world.rebuild(world.worker(1), "codes", 20);

  private RemovalFaults() {}

  static List<Fault> all() {
    return List.of(
        fault("removals that come after a swap", RemovalFaults::afterSwap).times(1, 3),
        fault("removals during a rebuild", RemovalFaults::duringBuild).times(1, 3),
        fault("swaps under removals", RemovalFaults::swaps).times(0, 2),
        fault("rollback to counters before", RemovalFaults::rollback).times(0, 2),
        fault("kill -9 before the removal", RemovalFaults::killed).times(0, 2),
        fault("DEL counters", world -> world.redis().call("DEL", image(world))).times(0, 2),
        fault("older counters restored", w -> restore(w, "image:", NO_SWAP)).times(0, 2),
        fault("older partition of counters restored", w -> restore(w, "", NO_SWAP)).times(1, 2),
        fault("partition of counters from before a swap restored", w -> restore(w, "", SWAP))
            .times(0, 2));
  }

  private static Fault fault(String name, Fault.Strike strike) {
    return Fault.of(STANDALONE, name, strike).excusing(2);
  }

  /** The rows were gone before the new generation was read, so they are not counted in it. */
  private static void afterSwap(World world) throws Exception {
    List<Long> ids = world.codes().first(SEVERAL);
    Worker remover = world.worker(2);
    CompletableFuture<String> held = remover.send("code hold " + Traffic.joined(ids));
    Wait.upTo(10, "the commit", () -> remover.ask("held " + ids.get(0)).equals("true"));
    SWAP.on(world);
    remover.ask("release " + ids.get(0));
    String answer = held.get(10, TimeUnit.SECONDS);
    if (!answer.equals("ok")) {
      throw new IOException("the removal was answered with " + answer);
    }
  }

  /** The builder has read the rows: in its generation they pass, and in the next no more. */
  private static void duringBuild(World world) throws Exception {
    List<Long> ids = world.codes().first(SEVERAL);
    Worker builder = world.worker(0);
    long before = World.generation(builder, "codes");
    Gate gate = Gate.hanging(builder, "codes", "read");
    Wait.upTo(20, "rebuild begins", () -> builder.requestRebuild("codes").join().equals(202));
    gate.awaitQuery();
    awaitRemovals(world, 5);
    for (long id : ids) {
      ApplicationFaults.expect(world.worker(1), "code delete " + id, "ok");
    }
    awaitMostAbsent(world, ids);
    gate.open();
    Wait.upTo(20, "a new generation", () -> World.generation(builder, "codes") > before);
    for (Worker worker : world.workers()) {
      if (Codes.check(worker, ids).contains("A")) {
        throw new IOException(worker.name() + " removed what it was building");
      }
    }
    SWAP.on(world);
    awaitMostAbsent(world, ids);
  }

  /** Some pass for others' sake, and the removal of one that Redis did not answer in time. */
  private static void awaitMostAbsent(World world, List<Long> ids) throws Exception {
    for (Worker worker : world.workers()) {
      Wait.upTo(
          20,
          worker.name() + " forgets what was removed",
          () -> {
            String letters = Codes.check(worker, ids);
            return letters.chars().filter(letter -> letter == 'A').count() > SEVERAL / 3;
          });
    }
  }

  private static void swaps(World world) throws Exception {
    for (int i = 0; i < 20; i++) {
      world.rebuild(world.worker(i % world.workers().size()), "codes", 30);
      awaitRemovals(world, 3);
    }
  }

  private static void rollback(World world) throws Exception {
    SWAP.on(world);
    awaitRemovals(world, 15);
    int status = world.worker(2).act("codes", "rollback").join();
    if (status != 202) {
      throw new IOException("rollback was answered with " + status);
    }
    awaitRemovals(world, 15);
  }

  /** The keys of its rows stay until the next rebuild, and no other key goes. */
  private static void killed(World world) throws Exception {
    List<Long> ids = world.codes().first(SEVERAL);
    Worker victim = world.worker(2);
    CompletableFuture<String> death = victim.send("code die " + Traffic.joined(ids));
    Wait.upTo(10, "death", () -> death.isCompletedExceptionally() && !victim.isAlive());
    if (Codes.check(world.worker(0), ids).contains("A")) {
      throw new IOException("keys went with a process that did not remove them");
    }
    victim.restart();
    SWAP.on(world);
    awaitMostAbsent(world, ids);
  }

  private static String image(World world) throws Exception {
    return CODES + "image:" + world.redis().call("HGET", CODES + "head", "serving");
  }

  private static void restore(World world, String beginning, Fault.Strike meanwhile)
      throws Exception {
    KeyFaults.restoreAll(
        world,
        CODES + beginning,
        struck -> {
          meanwhile.on(struck);
          struck.pause(KeyFaults.OLD_MILLIS);
          awaitRemovals(struck, 10);
        });
  }

  private static void awaitRemovals(World world, int count) throws Exception {
    long from = world.traffic().tally().removals.sum();
    Wait.upTo(
        20, count + " removals", () -> world.traffic().tally().removals.sum() >= from + count);
  }
}
