package io.bloomguard.guard.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class OutcomeCountersTest {

  private final OutcomeCounters counters = new OutcomeCounters();

  @Test
  void everyEntryAndOutcomeIsCountedApart() {
    long times = 0;
    for (EntryPoint entry : EntryPoint.values()) {
      for (Outcome outcome : Outcome.values()) {
        counters.record(entry, outcome);
        counters.record(entry, outcome, times++);
      }
    }
    long expected = 1;
    for (EntryPoint entry : EntryPoint.values()) {
      for (Outcome outcome : Outcome.values()) {
        assertThat(counters.count(entry, outcome)).as(entry + " " + outcome).isEqualTo(expected++);
      }
    }
    int outcomes = Outcome.values().length;
    assertThat(counters.count(Outcome.REJECTED)).isEqualTo(3 * (1 + outcomes));
  }

  @Test
  void theTagsAreThoseOfTheMeters() {
    assertThat(Outcome.values())
        .extracting(Outcome::tag)
        .containsExactly(
            "rejected",
            "passed",
            "cache_hit",
            "null_hit",
            "loaded",
            "false_positive",
            "bypassed",
            "shed",
            "error");
    assertThat(EntryPoint.values())
        .extracting(EntryPoint::tag)
        .containsExactly("method", "web", "api");
  }

  @Test
  void noOutcomeIsLostBetweenThreads() throws Exception {
    int threads = 8;
    int each = 20_000;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Void>> recorders = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        Outcome other = Outcome.values()[1 + thread % 4];
        recorders.add(
            () -> {
              for (int i = 0; i < each; i++) {
                counters.record(EntryPoint.WEB, Outcome.REJECTED);
                counters.record(EntryPoint.WEB, other, 2);
              }
              return null;
            });
      }
      for (Future<Void> recorder : executor.invokeAll(recorders)) {
        recorder.get();
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(counters.count(EntryPoint.WEB, Outcome.REJECTED)).isEqualTo(threads * (long) each);
    for (int other = 1; other <= 4; other++) {
      assertThat(counters.count(Outcome.values()[other])).isEqualTo(2L * 2 * each);
    }
  }
}
