package io.bloomguard.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.WallClock;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every fault, while three shops check, insert and load. */
@DisabledIfSystemProperty(named = "faults.bugs", matches = ".+")
@Execution(ExecutionMode.CONCURRENT)
class FaultsTest {

  private final boolean full = Boolean.getBoolean("faults.full");
  private final Pattern only = Pattern.compile(System.getProperty("faults.only", ""));
  private final long seed = Long.getLong("faults.seed", System.nanoTime() % 1_000_000);

  private final List<String> refused = new ArrayList<>();

  @Test
  void noKeyIsEverWronglyRejected() throws Exception {
    print("seed " + seed + " (-Dfaults.seed), files in " + Processes.folder());
    print(Result.header());
    List<Result> results = new ArrayList<>();
    for (Fault.Where where : Fault.Where.values()) {
      List<Fault> faults = Faults.on(where, full, only, seed);
      if (faults.isEmpty()) {
        continue;
      }
      if (where == Fault.Where.CLOCKS && !WallClock.isAvailable()) {
        print(faults.size() + " faults of clocks skipped: no libfaketime or no redis-server here");
        continue;
      }
      results.addAll(run(where, faults));
    }
    Files.writeString(Processes.folder().resolve("faults.csv"), Result.csv(results));
    long failed = results.stream().filter(result -> !result.passed()).count();
    print(results.size() + " faults, " + failed + " not survived");
    assertThat(results).filteredOn(result -> !result.passed()).map(Result::row).isEmpty();
    assertThat(refused).as("traces that are no behaviours of src/spec/LeaseTraces.tla").isEmpty();
    if (FeedFaults.matching(only).isEmpty()) {
      assertThat(results).as("faults that match").isNotEmpty();
    }
  }

  private List<Result> run(Fault.Where where, List<Fault> faults) throws Exception {
    List<Result> results = new ArrayList<>();
    Iterator<Fault> left = faults.iterator();
    while (left.hasNext()) {
      try (World world = new World(Faults.redis(where), seed, null)) {
        boolean usable = true;
        while (left.hasNext() && usable) {
          Fault fault = left.next();
          FaultRun run = new FaultRun(world, fault);
          Result result = run.run(times(fault));
          print(result.row());
          results.add(result);
          usable = !world.isCrowded() && (result.passed() || run.mend());
        }
        Traces.Verdict verdict = world.judgeTraces();
        if (verdict != null) {
          print(where + ": " + verdict);
          refused.addAll(verdict.refused());
        }
      }
    }
    return results;
  }

  private int times(Fault fault) {
    return Integer.getInteger("faults.times", full ? fault.inFull() : fault.inShort());
  }

  private static void print(String line) {
    System.out.println("RESULT " + line);
  }
}
