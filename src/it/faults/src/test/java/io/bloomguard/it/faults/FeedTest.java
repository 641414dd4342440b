package io.bloomguard.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.faults.FeedFaults.FeedFault;
import io.bloomguard.it.faults.FeedWay.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every fault on the way of changes that another program commits; in full, a million of them on
 * each way.
 */
@DisabledIfSystemProperty(named = "faults.bugs", matches = ".+")
@Execution(ExecutionMode.CONCURRENT)
class FeedTest {

  private static final long CHANGES = 1_000_000;

  private final boolean full = Boolean.getBoolean("faults.full");
  private final Pattern only = Pattern.compile(System.getProperty("faults.only", ""));
  private final long seed = Long.getLong("faults.seed", System.nanoTime() % 1_000_000);
  private final List<String> failed = new ArrayList<>();

  @ParameterizedTest
  @EnumSource(Kind.class)
  void noRowIsRejectedAndNoValueStaleForLongerThanAFeedMayLag(Kind way) throws Exception {
    List<FeedFault> faults = FeedFaults.matching(only);
    faults.removeIf(fault -> fault.way() != way || !full && !fault.inShort());
    if (faults.isEmpty()) {
      return;
    }
    print(way + ", seed " + seed + " (-Dfaults.seed)");
    print(FeedRun.HEADER);
    try (FeedWorld world = new FeedWorld(way, seed, null)) {
      Random random = new Random(seed);
      int rounds = Integer.getInteger("faults.times", full ? Integer.MAX_VALUE : 1);
      for (int i = 0; i < rounds && world.rows().changes() < CHANGES && failed.isEmpty(); i++) {
        Collections.shuffle(faults, random);
        for (FeedFault fault : faults) {
          note(FeedRun.of(world, fault));
        }
      }
      note(FeedRun.ofCounters(world));
      print(way + ", " + world.rows().changes() + " changes, " + failed.size() + " failures");
    }
    assertThat(failed).isEmpty();
  }

  private void note(FeedRun run) {
    print(run.row());
    failed.addAll(run.failures());
  }

  private static void print(String line) {
    System.out.println("RESULT " + line);
  }
}
