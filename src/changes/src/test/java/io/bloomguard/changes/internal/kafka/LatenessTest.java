package io.bloomguard.changes.internal.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatenessTest {

  private long nanos = 7;
  private long millis = 1_000_000;
  private final Lateness lateness = new Lateness(() -> nanos, () -> millis);

  private void pass(long more) {
    nanos += TimeUnit.MILLISECONDS.toNanos(more);
    millis += more;
  }

  /** A record that was under way for so long, by clocks that differ. */
  private long late(long taken, long difference) {
    return TimeUnit.NANOSECONDS.toMillis(lateness.nanosOf(millis - taken - difference));
  }

  @Test
  void whatWasHeldBackIsLate() {
    for (int i = 0; i < 20; i++) {
      late(5, 0);
      pass(1_000);
    }
    pass(100_000);
    assertThat(late(100_005, 0)).isEqualTo(100_000);
    assertThat(late(99_005, 0)).isEqualTo(99_000);
    pass(1_000);
    assertThat(late(5, 0)).isZero();
  }

  @Test
  void inTheBeginTheClocksAgree() {
    assertThat(late(6_000, 0)).isEqualTo(6_000);
    assertThat(late(5_000, 0)).isEqualTo(5_000);
  }

  @Test
  void aDifferenceOfTheClocksIsLearnt() {
    for (long difference : new long[] {8_000, -8_000}) {
      pass(10 * TimeUnit.NANOSECONDS.toMillis(Lateness.SPAN_NANOS));
      for (int i = 0; i < 200; i++) {
        late(5, difference);
        pass(1_000);
      }
      assertThat(late(5, difference)).isZero();
      assertThat(late(6_005, difference)).isEqualTo(6_000);
    }
  }

  @Test
  void aRecordWithoutATimeIsNotLate() {
    assertThat(lateness.nanosOf(-1)).isZero();
  }
}
