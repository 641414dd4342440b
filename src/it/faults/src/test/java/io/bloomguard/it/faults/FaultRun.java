package io.bloomguard.it.faults;

import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes one fault in a world, some times, and judges what follows. */
final class FaultRun {

  private static final int INSERTS_BEFORE = 20;
  private static final int LEAST_FROM_COPIES = 80;

  /** A load of an image that took long is followed by the next one after nine times as long. */
  private static final int LEASES_SECONDS = 60;

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
    awaitInserts();
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

  /** Waits until the copies answer, too: a fault of copies that hold no lease is none. */
  private void awaitInserts() throws Exception {
    Wait.within(
        LEASES_SECONDS,
        () -> {
          long reads = reads();
          long checked = tally.checks.sum();
          world.awaitInserts(INSERTS_BEFORE);
          tally.calm(reads() - reads, tally.checks.sum() - checked);
          return !World.COPIES || tally.fromCopies() >= LEAST_FROM_COPIES;
        });
  }

  private long reads() throws IOException {
    String stats = (String) world.redis().call("INFO", "commandstats");
    int at = stats.indexOf("cmdstat_bitfield_ro:calls=");
    return at < 0 ? 0 : Long.parseLong(stats.substring(at + 26, stats.indexOf(',', at)));
  }

  private void judge() {
    if (World.COPIES && tally.fromCopies() < LEAST_FROM_COPIES) {
      failures.add("before it copies answered only " + tally.fromCopies() + " % of the checks");
    }
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
