package io.bloomguard.generation.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class KnownFalsePositivesTest {

  private static final long KEY = 0x0123456789abcdefL;

  private final AtomicLong nanos = new AtomicLong();
  private final Set<Long> journal = new HashSet<>();

  private KnownFalsePositives set(Duration patience) {
    return new KnownFalsePositives(patience, nanos::get, journal::contains);
  }

  @Test
  void theSecondNullEntryMakesAKeyKnown() {
    KnownFalsePositives set = set(Duration.ZERO);
    assertThat(set.isEmpty()).isTrue();
    assertThat(set.foundNothing(KEY)).isFalse();
    assertThat(set.has(KEY)).isFalse();
    assertThat(set.foundNothing(KEY)).isTrue();
    assertThat(set.has(KEY)).isTrue();
    assertThat(set.foundNothing(KEY)).isTrue();
    assertThat(set.has(~KEY)).isFalse();
    assertThat(set.isEmpty()).isFalse();
  }

  @Test
  void anAddTakesAKeyOutAndTheNextNullEntryIsTheFirst() {
    KnownFalsePositives set = set(Duration.ZERO);
    set.added(KEY);
    set.foundNothing(KEY);
    set.added(KEY);
    assertThat(set.foundNothing(KEY)).isFalse();
    assertThat(set.foundNothing(KEY)).isTrue();
    set.added(KEY);
    assertThat(set.has(KEY)).isFalse();
    assertThat(set.foundNothing(KEY)).isFalse();
  }

  /** Its row may not be committed yet. */
  @Test
  void aKeyThatWasAddedLatelyIsNotKnown() {
    KnownFalsePositives set = set(Duration.ZERO);
    journal.add(KEY);
    set.foundNothing(KEY);
    assertThat(set.foundNothing(KEY)).isTrue();
    assertThat(set.has(KEY)).isFalse();
    journal.clear();
    set.foundNothing(KEY);
    assertThat(set.has(KEY)).isTrue();
  }

  @Test
  void withoutAJournalTheSecondNullEntryMustBeSoMuchLater() {
    KnownFalsePositives set = set(Duration.ofMinutes(10));
    set.foundNothing(KEY);
    nanos.set(Duration.ofMinutes(10).toNanos() - 1);
    assertThat(set.foundNothing(KEY)).isTrue();
    assertThat(set.has(KEY)).isFalse();
    nanos.incrementAndGet();
    set.foundNothing(KEY);
    assertThat(set.has(KEY)).isTrue();
  }

  @Test
  void beyondItsBoundItForgetsTheOldest() {
    KnownFalsePositives set = set(Duration.ZERO);
    SplittableRandom random = new SplittableRandom(42);
    long[] keys = random.longs(300_000).toArray();
    for (long key : keys) {
      set.foundNothing(key);
      set.foundNothing(key);
    }
    int known = 0;
    int old = 0;
    for (int i = 0; i < keys.length; i++) {
      if (set.has(keys[i])) {
        known++;
        old += i < 150_000 ? 1 : 0;
      }
    }
    assertThat(known).isBetween(99_000, 100_000);
    assertThat(old).isLessThan(10_000);
  }

  @Test
  void theHashOfAFreeSlotIsNeverKnown() {
    KnownFalsePositives set = set(Duration.ZERO);
    set.foundNothing(KEY);
    set.foundNothing(0);
    assertThat(set.foundNothing(0)).isFalse();
    assertThat(set.has(0)).isFalse();
    set.added(0);
  }
}
