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
    nanos.set(Duration.ofMinutes(10).toNanos());
    assertThat(set.foundNothing(KEY)).isTrue();
    assertThat(set.has(KEY)).isFalse();
    // Times are kept to a second.
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    set.foundNothing(KEY);
    assertThat(set.has(KEY)).isTrue();
  }

  @Test
  void itKnowsAHundredThousandKeysAndThenForgetsTheOldest() {
    KnownFalsePositives set = set(Duration.ZERO);
    long[] keys = new SplittableRandom(42).longs(200_000).toArray();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 100_000; i++) {
        set.foundNothing(keys[i]);
      }
    }
    assertThat(known(set, keys, 0)).isGreaterThan(98_000);
    for (int i = 100_000; i < keys.length; i++) {
      set.foundNothing(keys[i]);
      set.foundNothing(keys[i]);
    }
    assertThat(known(set, keys, 0)).isLessThan(25_000);
    assertThat(known(set, keys, 100_000)).isBetween(80_000, 100_000);
  }

  private static int known(KnownFalsePositives set, long[] keys, int from) {
    int known = 0;
    for (int i = from; i < from + 100_000; i++) {
      known += set.has(keys[i]) ? 1 : 0;
    }
    return known;
  }

  /** Whatever is noted and added, what was added is not known. */
  @Test
  void noKeyIsKnownThatWasAddedLast() {
    KnownFalsePositives set = set(Duration.ZERO);
    SplittableRandom random = new SplittableRandom(42);
    long[] keys = random.longs(150_000).toArray();
    for (int i = 0; i < 1_000_000; i++) {
      long key = keys[random.nextInt(keys.length)];
      if (random.nextInt(8) == 0) {
        set.added(key);
        assertThat(set.has(key)).isFalse();
        assertThat(set.foundNothing(key)).isFalse();
      } else if (set.foundNothing(key)) {
        assertThat(set.has(key)).isTrue();
      }
    }
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
