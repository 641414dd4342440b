package io.bloomguard.it.faults;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes one fault in a world, some times, and judges what follows. */
final class FaultRun {

  private static final int INSERTS_BEFORE = 20;

  private final World world;
  private final Fault fault;
  private final Tally tally;
  private final List<String> failures = new ArrayList<>();
  private long millisToNormal;

  FaultRun(World world, Fault fault) {
    this.world = world;
    this.fault = fault;
    this.tally = world.traffic().newTally();
  }

  Result run(int times) throws Exception {
    long loads = Loads.total();
    world.traffic().cacheIsKept(fault.cacheKept());
    for (int i = 0; i < times && failures.isEmpty(); i++) {
      once();
    }
    judge();
    Result result =
        new Result(fault, times, tally, Loads.total() - loads, millisToNormal, failures);
    world.traffic().cacheIsKept(true);
    return result;
  }

  private void once() throws Exception {
    world.awaitInserts(INSERTS_BEFORE);
    try {
      fault.begins().await(world.redis());
      fault.strike().on(world);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      failures.add(String.valueOf(e.getMessage()));
    }
    Gate.openAll();
    long mended = System.nanoTime();
    world.traffic().forgetPulses();
    if (world.isNormalWithin(fault.seconds())) {
      long took = Math.max(0, world.traffic().normalSince() - mended);
      millisToNormal = Math.max(millisToNormal, TimeUnit.NANOSECONDS.toMillis(took));
    } else {
      millisToNormal = -1;
      failures.add("not normal in " + fault.seconds() + " s: " + world.traffic().pulses());
    }
    // Another secret is one for all filters, and this one would take the real retention to change.
    if (!fault.changesFilter() && !world.codes().areDecidedWithin(fault.seconds())) {
      failures.add("filter codes does not decide in " + fault.seconds() + " s");
    }
    try {
      world.sweep("in the sweep afterwards");
    } catch (IOException e) {
      failures.add("no sweep: " + e.getMessage());
    }
  }

  private void judge() {
    if (tally.wrongRejections() > 0) {
      failures.add("wrong rejections, such as " + tally.samples().get(0));
    }
    if (tally.staleNulls.sum() > 0) {
      failures.add(tally.staleNulls.sum() + " stale nulls");
    }
    int atOnce = Math.min(fault.loads(), world.workers().size());
    if (tally.mostLoads() > fault.loads() || tally.mostAtOnce() > atOnce) {
      failures.add(tally.mostLoads() + " loads of a key, " + tally.mostAtOnce() + " at once");
    }
  }

  /** Makes the world good for the next fault after one that it did not survive; false if not. */
  boolean mend() {
    try {
      for (Worker worker : world.workers()) {
        if (worker.isAlive()) {
          worker.resume();
          worker.ask("pause 0");
        } else {
          worker.restart();
        }
      }
      world.rebuild(world.worker(1), "products", 60);
      return world.isNormalWithin(60);
    } catch (Exception e) {
      return false;
    }
  }
}
