package io.bloomguard.console.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import org.junit.jupiter.api.Test;

/** Rates from samples of counters. */
class OutcomeHistoryTest {

  private static final long BEGIN = 1_800_000_000_000L;
  private static final long STEP = OutcomeHistory.STEP;

  private final OutcomeCounters counters = new OutcomeCounters();
  private final OutcomeHistory history = new OutcomeHistory();

  @Test
  void oneSampleIsNoRate() {
    history.sample(BEGIN, counters);
    assertThat(history.rates().times()).isEmpty();
    assertThat(history.rates().perSecond()).hasSize(Outcome.values().length);
    assertThat(rates(Outcome.REJECTED)).isEmpty();
  }

  @Test
  void ratesAreKeysASecondOfAllEntriesTogether() {
    counters.record(EntryPoint.API, Outcome.REJECTED, 1_000);
    history.sample(BEGIN, counters);
    counters.record(EntryPoint.API, Outcome.REJECTED, 30);
    counters.record(EntryPoint.WEB, Outcome.REJECTED, 20);
    counters.record(EntryPoint.METHOD, Outcome.LOADED, 5);
    history.sample(BEGIN + STEP, counters);
    history.sample(BEGIN + STEP + 10_000, counters);

    assertThat(history.rates().times()).containsExactly(BEGIN + STEP, BEGIN + STEP + 10_000);
    assertThat(rates(Outcome.REJECTED)).containsExactly(10, 0);
    assertThat(rates(Outcome.LOADED)).containsExactly(1, 0);
    assertThat(rates(Outcome.SHED)).containsExactly(0, 0);
  }

  @Test
  void samplesAreAStepApartHoweverOftenTheyAreTaken() {
    for (long second = 0; second <= 60; second++) {
      history.sample(BEGIN + second * 1_000, counters);
    }
    assertThat(history.rates().times()).hasSize(12);
  }

  @Test
  void keepsFifteenMinutesOfSamples() {
    for (int i = 0; i <= 400; i++) {
      history.sample(BEGIN + i * STEP, counters);
      counters.record(EntryPoint.API, Outcome.PASSED, i);
    }
    long[] times = history.rates().times();
    assertThat(times).hasSize(180).isSorted();
    assertThat(times[179]).isEqualTo(BEGIN + 400 * STEP);
    assertThat(times[0] - STEP).isEqualTo(times[179] - OutcomeHistory.SPAN);
    assertThat(rates(Outcome.PASSED)[0]).isEqualTo(220 / 5.0);
    assertThat(rates(Outcome.PASSED)[179]).isEqualTo(399 / 5.0);
  }

  @Test
  void beginsAnewWhereTheClockWasPutBack() {
    history.sample(BEGIN, counters);
    history.sample(BEGIN + STEP, counters);
    history.sample(BEGIN - STEP, counters);
    assertThat(history.rates().times()).isEmpty();
    history.sample(BEGIN, counters);
    assertThat(history.rates().times()).containsExactly(BEGIN);
  }

  private double[] rates(Outcome outcome) {
    return history.rates().perSecond().get(outcome.tag());
  }
}
