package io.bloomguard.guard.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefreshPausesTest {

  private static final long PAUSE = RefreshPauses.PAUSE.toNanos();

  private final AtomicLong ticks = new AtomicLong(Long.MAX_VALUE - PAUSE / 2);
  private final RefreshPauses pauses = new RefreshPauses(ticks::get);

  @Test
  void aKeyIsNotTriedWithinItsPause() {
    assertThat(pauses.isOver("a")).isTrue();
    pauses.begin("a");
    assertThat(pauses.isOver("a")).isFalse();
    assertThat(pauses.isOver("b")).isTrue();
    ticks.addAndGet(PAUSE - 1);
    assertThat(pauses.isOver("a")).isFalse();
    ticks.incrementAndGet();
    assertThat(pauses.isOver("a")).isTrue();
  }

  @Test
  void aSuccessEndsThePause() {
    pauses.begin("a");
    pauses.end("a");
    assertThat(pauses.isOver("a")).isTrue();
  }

  @Test
  void allKeysTogetherAreBounded() {
    int tries = 0;
    for (int i = 0; i < 100_000; i++) {
      if (pauses.isOver("key" + i)) {
        pauses.begin("key" + i);
        tries++;
      }
    }
    assertThat(tries).isBetween(RefreshPauses.SLOTS / 2, RefreshPauses.SLOTS);
  }
}
