package io.bloomguard.it.faults;

import io.bloomguard.it.faults.FeedFaults.FeedFault;
import io.bloomguard.it.support.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * One fault of a feed, and what followed from it.
 *
 * @param row what is printed
 * @param failures what must not have been, empty for none
 */
record FeedRun(String row, List<String> failures) {

  static final String HEADER =
      "| fault | changes | checks | values | wrong | stale | unknown | decided after |";

  private static final long DECIDED_SECONDS = 90;

  /** While changes go on. */
  private static final long AFTERWARDS_MILLIS = 3_000;

  /** Longer than {@code rebuild.journal-retention}, for which nothing is removed after a swap. */
  private static final long REMOVES_AFTER_MILLIS = 8_000;

  private static final int GONE = 200;
  private static final int MOST_DELETIONS = 5;
  private static final long LEFT_SECONDS = 30;

  /** Makes the fault, waits until all shops decide, and asks them for every row. */
  static FeedRun of(FeedWorld world, FeedFault fault) throws Exception {
    FeedJudge judge = world.judge();
    long changes = world.rows().changes();
    long[] before = judge.counts();
    List<String> failures = new ArrayList<>();
    long mended = System.nanoTime();
    try {
      long generation = World.generation(world.anyShop(), "items");
      fault.strike().on(world);
      mended = System.nanoTime();
      world.awaitDecided(DECIDED_SECONDS);
      world.pause(AFTERWARDS_MILLIS);
      if (fault.keepsPosition() && World.generation(world.anyShop(), "items") != generation) {
        failures.add("the feed lost its position: a build was made");
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      failures.add(String.valueOf(e.getMessage()));
    }
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - mended) - AFTERWARDS_MILLIS;
    world.sweep();
    failures.addAll(judge.failures());
    long[] counts = judge.counts();
    for (int i = 0; i < counts.length; i++) {
      counts[i] -= before[i];
    }
    String row =
        String.format(
            Locale.ROOT,
            "| %s | %d | %d | %d | %d | %d | %.1f %% | %d ms |%s",
            fault.name(),
            world.rows().changes() - changes,
            counts[0],
            counts[1],
            counts[2],
            counts[3],
            100.0 * counts[4] / Math.max(1, counts[5]),
            took,
            failures.isEmpty() ? "" : " FAILED " + failures);
    return new FeedRun(row, failures);
  }

  /** Rows that go leave the filter that counts, and take no other key along. */
  static FeedRun ofCounters(FeedWorld world) throws Exception {
    world.awaitDecided(DECIDED_SECONDS);
    Worker shop = world.anyShop();
    long before = World.generation(shop, "counted");
    Wait.upTo(
        DECIDED_SECONDS,
        "a rebuild of counted",
        () -> {
          shop.requestRebuild("counted").join();
          world.pause(500);
          return World.generation(shop, "counted") > before;
        });
    List<String> failures = new ArrayList<>(removals(world, shop));
    world.sweep();
    failures.addAll(world.judge().failures());
    return new FeedRun("counters: " + (failures.isEmpty() ? "right" : failures), failures);
  }

  /**
   * Deletes rows, again if another generation or reader came in between: by either, keys of deleted
   * rows may stay.
   */
  private static List<String> removals(FeedWorld world, Worker shop) throws Exception {
    for (int i = 0; i < MOST_DELETIONS; i++) {
      Object serving = world.serving("counted");
      world.pause(REMOVES_AFTER_MILLIS);
      List<Long> gone = world.rows().deleteSome(GONE);
      String[] letters = {""};
      boolean left =
          Wait.within(
              LEFT_SECONDS,
              () -> {
                letters[0] = shop.ask("check counted " + FeedJudge.joined(gone));
                return letters[0].chars().filter(letter -> letter == 'A').count() > GONE / 2;
              });
      if (left) {
        return List.of();
      }
      Object now = world.serving("counted");
      if (now.equals(serving)) {
        return List.of("keys of deleted rows stay in the filter that counts: " + letters[0]);
      }
      System.out.println("RESULT rows are deleted again: " + serving + " was served, now " + now);
    }
    return List.of("no generation and reader of the filter that counts remained");
  }
}
