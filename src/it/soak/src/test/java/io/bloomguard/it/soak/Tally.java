package io.bloomguard.it.soak;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What was asked, how it was answered, and what was wrong about it. */
final class Tally {

  /** As many as are worth reading. */
  private static final int MOST_WRONG = 30;

  private final Map<String, LongAdder> answers = new ConcurrentSkipListMap<>();
  private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());

  void count(String kind, Object answer) {
    answers.computeIfAbsent(kind + " " + answer, key -> new LongAdder()).increment();
  }

  void wrong(String what) {
    synchronized (wrong) {
      if (wrong.size() < MOST_WRONG && !wrong.contains(what)) {
        wrong.add(what);
      }
    }
  }

  List<String> wrong() {
    return List.copyOf(wrong);
  }

  Map<String, Long> answers() {
    Map<String, Long> counts = new TreeMap<>();
    answers.forEach((kind, count) -> counts.put(kind, count.sum()));
    return counts;
  }

  long count(String kind) {
    LongAdder count = answers.get(kind);
    return count == null ? 0 : count.sum();
  }
}
