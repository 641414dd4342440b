package io.bloomguard.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.faults.FeedFaults.FeedFault;
import io.bloomguard.it.faults.FeedWay.Kind;
import io.bloomguard.it.support.WallClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** How many of the mistakes that one could make in the library the harness finds. */
class SeededBugsTest {

  private final long seed = Long.getLong("faults.seed", System.nanoTime() % 1_000_000);

  /** Or the list would tell of another library. */
  @Test
  void everyBugCanBeSeeded() throws Exception {
    List<SeededBug> bugs = SeededBug.all();

    assertThat(bugs).extracting(SeededBug::name).doesNotHaveDuplicates();
    for (SeededBug bug : bugs) {
      assertThat(bug.replace()).isNotEqualTo(bug.find());
      assertThat(seeded(bug)).isDirectory();
      assertThat(faults(bug).size() + feedFaults(bug).size()).as(bug.name()).isPositive();
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "faults.bugs", matches = ".+")
  void seededBugsAreCaught() throws Exception {
    Pattern only = Pattern.compile(System.getProperty("faults.bugs"));
    List<SeededBug> bugs =
        SeededBug.all().stream().filter(bug -> only.matcher(bug.name()).find()).toList();
    List<String> missed = new ArrayList<>();
    for (SeededBug bug : bugs) {
      String caught = caught(bug);
      print(String.format("%-60s|%s", bug.name(), caught == null ? "NOT CAUGHT" : caught));
      if (caught == null) {
        missed.add(bug.name());
      }
    }
    print(bugs.size() - missed.size() + " of " + bugs.size() + " seeded bugs caught");
    assertThat(bugs).as("bugs that match").isNotEmpty();
  }

  private static List<Fault> faults(SeededBug bug) {
    return Faults.all().stream()
        .filter(fault -> bug.faults().matcher(fault.name()).find())
        .toList();
  }

  /** The fault that brought it to light and how, or null. */
  private String caught(SeededBug bug) throws Exception {
    Path seeded = seeded(bug);
    for (Kind way : Kind.values()) {
      List<FeedFault> faults = feedFaults(bug).stream().filter(f -> f.way() == way).toList();
      String caught = faults.isEmpty() ? null : caught(faults, way, seeded);
      if (caught != null) {
        return caught;
      }
    }
    for (Fault.Where where : Fault.Where.values()) {
      List<Fault> faults = faults(bug).stream().filter(fault -> fault.where() == where).toList();
      if (!faults.isEmpty() && (where != Fault.Where.CLOCKS || WallClock.isAvailable())) {
        String caught = caught(faults, where, seeded);
        if (caught != null) {
          return caught;
        }
      }
    }
    return null;
  }

  private static Path seeded(SeededBug bug) throws IOException {
    ChangedLibrary library = new ChangedLibrary(bug.name());
    library.change(bug.file(), bug::seededInto);
    return library.compiled();
  }

  private static List<FeedFault> feedFaults(SeededBug bug) {
    Pattern faults = bug.faults();
    return faults.pattern().startsWith("feed: ") ? FeedFaults.matching(faults) : List.of();
  }

  private String caught(List<FeedFault> faults, Kind way, Path seeded) throws Exception {
    try (FeedWorld world = new FeedWorld(way, seed, seeded)) {
      for (FeedFault fault : faults) {
        FeedRun run = FeedRun.of(world, fault);
        if (!run.failures().isEmpty()) {
          return fault.name() + ": " + shortened(String.join("; ", run.failures()));
        }
      }
    }
    return null;
  }

  private String caught(List<Fault> faults, Fault.Where where, Path seeded) throws Exception {
    World world;
    try {
      world = new World(Faults.redis(where), seed, seeded);
    } catch (IOException | IllegalStateException e) {
      return "start: " + shortened(e.getMessage());
    }
    try (world) {
      for (Fault fault : faults) {
        Result result = new FaultRun(world, fault).run(Math.max(1, fault.inShort()));
        if (!result.passed()) {
          return fault.name() + ": " + shortened(String.join("; ", result.failures()));
        }
      }
    }
    return null;
  }

  private static String shortened(String text) {
    return text.length() <= 110 ? text : text.substring(0, 107) + "...";
  }

  private static void print(String line) {
    System.out.println("RESULT " + line);
  }
}
