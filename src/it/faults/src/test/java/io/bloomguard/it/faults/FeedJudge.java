package io.bloomguard.it.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Judges what shops say of keys whose truth has been the same for longer than a feed may be late:
 * no row is rejected, and once a shop decides, no value is older than that.
 */
final class FeedJudge {

  /** The default of {@code changes.max-lag}. */
  static final long MAX_LAG_MILLIS = 5_000;

  private static final long FIRST_ABSENT = 1_000_000_000_000L;
  private static final int MOST_FAILURES = 20;

  private final Rows rows;
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final LongAdder checks = new LongAdder();
  private final LongAdder values = new LongAdder();
  private final LongAdder wrong = new LongAdder();
  private final LongAdder stale = new LongAdder();
  private final LongAdder unknown = new LongAdder();
  private final LongAdder looks = new LongAdder();

  FeedJudge(Rows rows) {
    this.rows = rows;
  }

  static List<Long> absent() {
    List<Long> absent = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      absent.add(FIRST_ABSENT + ThreadLocalRandom.current().nextLong(FIRST_ABSENT));
    }
    return absent;
  }

  static String joined(List<Long> codes) {
    return codes.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  /** Checks, values, wrong rejections, stale values, looks without a decision, and looks. */
  long[] counts() {
    return Stream.of(checks, values, wrong, stale, unknown, looks)
        .mapToLong(LongAdder::sum)
        .toArray();
  }

  /** What has failed since the last call. */
  List<String> failures() {
    List<String> some = new ArrayList<>(failures);
    failures.clear();
    return some;
  }

  void failed(String what) {
    if (failures.size() < MOST_FAILURES) {
      failures.add(what);
    }
  }

  void look(Worker shop, String filter, List<Long> codes, Random random)
      throws InterruptedException {
    if (codes.isEmpty()) {
      return;
    }
    List<Rows.Truth> before = codes.stream().map(rows::of).toList();
    long begin = System.nanoTime();
    String[] answer;
    try {
      long absent = FIRST_ABSENT + random.nextLong(FIRST_ABSENT);
      answer =
          shop.send("look " + filter + " " + absent + " " + joined(codes))
              .get(30, TimeUnit.SECONDS)
              .split(" ");
    } catch (ExecutionException | TimeoutException e) {
      Thread.sleep(100);
      return;
    }
    if (answer.length != 3 || answer[1].length() != codes.size()) {
      return;
    }
    looks.increment();
    unknown.add(answer[0].equals("U") ? 1 : 0);
    boolean decides = answer[0].equals("A");
    String[] found = answer[2].split(",");
    for (int i = 0; i < codes.size(); i++) {
      Rows.Truth is = before.get(i);
      long age = begin - is.since();
      if (is.isOpen()
          || age < TimeUnit.MILLISECONDS.toNanos(MAX_LAG_MILLIS)
          || rows.of(codes.get(i)) != is) {
        continue;
      }
      String where =
          shop.name()
              + " of "
              + filter
              + ", code "
              + codes.get(i)
              + ", true for "
              + TimeUnit.NANOSECONDS.toMillis(age)
              + " ms";
      checks.increment();
      if (is.version() > 0 && answer[1].charAt(i) == 'A') {
        wrong.increment();
        failed("rejected by " + where);
      }
      if (decides && !found[i].equals("failed")) {
        values.increment();
        String right = is.version() == 0 ? "null" : Long.toString(is.version());
        if (!found[i].equals(right)) {
          stale.increment();
          failed("value " + found[i] + " instead of " + right + " by " + where);
        }
      }
    }
  }
}
