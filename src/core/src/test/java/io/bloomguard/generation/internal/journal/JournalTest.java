package io.bloomguard.generation.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.bloomguard.guard.AddFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalTest {

  private static final String PROPERTY = "bloomguard.filters.products.rebuild.journal-max";
  private static final int APPENDERS = 3;

  private final AtomicLong clock = new AtomicLong();

  private Journal journal(Duration retention, JournalMemory memory) {
    return new Journal("products", 1, retention, clock::get, memory);
  }

  private Journal ofNanos(long retention) {
    return journal(Duration.ofNanos(retention), ofBytes(1 << 20));
  }

  private static JournalMemory ofBytes(long bytes) {
    return JournalMemory.ofAll("all", Long.MAX_VALUE).ofFilter(PROPERTY, bytes);
  }

  @Test
  void aHashIsHeldOnce() {
    Journal journal = ofNanos(10);
    for (long hash : new long[] {0, -1, 0, Long.MIN_VALUE, 1, -1}) {
      journal.append(hash);
    }
    assertThat(read(journal)).containsExactlyInAnyOrder(0L, -1L, Long.MIN_VALUE, 1L);
    assertThat(journal.size()).isEqualTo(4);
  }

  @Test
  void whatIsOlderThanTheRetentionIsForgotten() {
    Journal journal = ofNanos(10);
    journal.append(1);
    clock.set(1);
    journal.append(2);
    clock.set(10);
    assertThat(read(journal)).containsExactlyInAnyOrder(1L, 2L);
    clock.set(11);
    assertThat(read(journal)).containsExactly(2L);
    clock.set(12);
    assertThat(read(journal)).isEmpty();
    journal.append(3);
    assertThat(read(journal)).containsExactly(3L);
  }

  @Test
  void theTickerMayWrapAround() {
    clock.set(Long.MAX_VALUE);
    Journal journal = ofNanos(10);
    journal.append(1);
    clock.set(Long.MIN_VALUE);
    assertThat(read(journal)).containsExactly(1L);
    clock.set(Long.MIN_VALUE + 10);
    assertThat(read(journal)).isEmpty();
  }

  @Test
  void aRepeatMovesTheTimeForward() {
    Journal journal = ofNanos(10);
    journal.append(1);
    journal.append(2);
    clock.set(8);
    journal.append(1);
    clock.set(18);
    assertThat(read(journal)).containsExactly(1L);
    assertThat(journal.isEmpty()).isFalse();
    clock.set(19);
    assertThat(read(journal)).isEmpty();
    assertThat(journal.isEmpty()).isTrue();
  }

  /** The shape of the issue: the same 10,000 keys, 395 times. */
  @Test
  void repeatsTakeNoMemory() {
    JournalMemory memory = ofBytes(1 << 20);
    Journal journal = journal(Duration.ofMinutes(10), memory);
    appendAll(journal, 0, 10_000);
    long taken = memory.taken();
    for (int repeat = 1; repeat < 395; repeat++) {
      clock.addAndGet(Duration.ofSeconds(1).toNanos());
      appendAll(journal, 0, 10_000);
    }
    assertThat(memory.taken()).isEqualTo(taken);
    assertThat(journal.size()).isEqualTo(10_000);
  }

  /** Nor do keys that come and go: what is too old makes room for what is new. */
  @Test
  void memoryFollowsWhatIsWithinTheRetention() {
    JournalMemory memory = ofBytes(16 << 20);
    Journal journal = journal(Duration.ofMinutes(10), memory);
    for (int minute = 0; minute < 100; minute++) {
      appendAll(journal, minute * 10_000L, 10_000);
      clock.addAndGet(Duration.ofMinutes(1).toNanos());
      journal.sweep();
      assertThat(memory.taken()).isLessThan(110_000 * 15L);
    }
    for (int minute = 0; minute < 12; minute++) {
      clock.addAndGet(Duration.ofMinutes(1).toNanos());
      journal.sweep();
    }
    assertThat(memory.taken()).isZero();
    assertThat(journal.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aKeyTakesTwelveBytesAWordAtMost(int words) {
    JournalMemory memory = ofBytes(1L << 30);
    Journal journal = new Journal("products", words, Duration.ofMinutes(10), clock::get, memory);
    SplittableRandom random = new SplittableRandom(42);
    long[] hash = new long[words];
    for (int count = 1; count <= 1_000_000; count++) {
      for (int i = 0; i < words; i++) {
        hash[i] = random.nextLong();
      }
      journal.append(hash, 0);
      if (count >= 100_000 && count % 10_000 == 0) {
        assertThat(memory.taken()).isLessThanOrEqualTo(count * 12L * words);
      }
    }
  }

  @Test
  void bothWordsTellHashesApart() {
    Journal journal =
        new Journal("products", 2, Duration.ofMinutes(10), clock::get, ofBytes(1 << 20));
    journal.append(new long[] {7, 7, 1}, 0);
    journal.append(new long[] {7, 7, 1}, 1);
    Set<List<Long>> found = new HashSet<>();
    journal.forEach(
        (hashes, count) -> {
          for (int i = 0; i < count; i++) {
            found.add(List.of(hashes[2 * i], hashes[2 * i + 1]));
          }
        });
    assertThat(found).containsExactlyInAnyOrder(List.of(7L, 7L), List.of(7L, 1L));
  }

  @Test
  void pastItsBoundItTakesNothingMoreAndDropsNothing() {
    JournalMemory memory = ofBytes(100_000);
    Journal journal = journal(Duration.ofMinutes(10), memory);
    List<Long> taken = new ArrayList<>();
    AddFailedException full =
        catchThrowableOfType(AddFailedException.class, () -> fill(journal, 0, taken));

    assertThat(taken.size()).isGreaterThan(100_000 / 12);
    assertThat(memory.taken()).isLessThanOrEqualTo(100_000);
    assertThat(full)
        .isInstanceOf(AddFailedException.class)
        .hasMessageContainingAll("'products'", "100000 bytes", PROPERTY);
    assertThat(full.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    assertThat(read(journal)).isEqualTo(new HashSet<>(taken));
    taken.forEach(journal::append);

    clock.addAndGet(Duration.ofMinutes(5).toNanos());
    assertThatThrownBy(() -> fill(journal, 1_000_000, new ArrayList<>()))
        .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL);
    clock.addAndGet(Duration.ofMinutes(5).plusSeconds(10).toNanos());
    List<Long> later = new ArrayList<>();
    assertThatThrownBy(() -> fill(journal, 2_000_000, later))
        .hasFieldOrPropertyWithValue("reason", AddFailedException.Reason.FULL);
    assertThat(later.size()).isGreaterThan(100_000 / 12);
    assertThat(read(journal).containsAll(later)).isTrue();
  }

  @Test
  void allJournalsShareABound() {
    JournalMemory all = JournalMemory.ofAll("bloomguard.journal.max-heap", 50_000);
    JournalMemory memory = all.ofFilter("a", 40_000);
    JournalMemory other = all.ofFilter("b", 40_000);
    Journal first = journal(Duration.ofMinutes(10), memory);
    Journal second = journal(Duration.ofMinutes(10), other);
    assertThatThrownBy(() -> fill(first, 0, new ArrayList<>())).hasMessageContaining("bound of a;");
    assertThatThrownBy(() -> fill(second, 0, new ArrayList<>()))
        .hasMessageContaining("50000 bytes, the bound of bloomguard.journal.max-heap;");
    assertThat(all.taken()).isEqualTo(memory.taken() + other.taken()).isLessThanOrEqualTo(50_000);

    first.close();
    assertThat(memory.taken()).isZero();
    second.append(-1);
    first.append(-1);
    assertThat(read(first)).isEmpty();
  }

  @Test
  void whatIsHeldIsReadHoweverLongThatTakes() {
    JournalMemory memory = ofBytes(1 << 20);
    Journal journal = journal(Duration.ofNanos(10), memory);
    journal.append(1);
    clock.set(5);
    journal.append(2);
    clock.set(11);
    try (Journal.Hold hold = journal.hold()) {
      clock.set(100);
      journal.append(3);
      journal.sweep();
      // Enough for each table to be copied.
      appendAll(journal, 1_000, 5_000);
      clock.set(200);
      Set<Long> held = new HashSet<>();
      hold.forEach((hashes, count) -> add(hashes, count, held));
      assertThat(held).contains(2L, 3L, 1_000L, 5_999L).doesNotContain(1L);
    }
    assertThat(read(journal)).isEmpty();
    journal.sweep();
    assertThat(memory.taken()).isZero();
  }

  /** Against a map that has all times, over a long while and in steps of any length. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void holdsWhatAMapWouldHold(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long retention = random.nextLong(1, 100_000);
    long atMost = retention + 2 * (1 + (retention - 1) / 120);
    Journal journal = ofNanos(retention);
    Map<Long, Long> times = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      int step = i;
      clock.addAndGet(random.nextLong(retention / (1 + random.nextInt(50)) + 1));
      for (int more = random.nextInt(20); more > 0; more--) {
        long hash = random.nextInt(500) * 0x9E3779B97F4A7C15L;
        journal.append(hash);
        times.put(hash, clock.get());
      }
      if (random.nextInt(3) == 0) {
        journal.sweep();
      }
      Set<Long> held = read(journal);
      times.forEach(
          (hash, time) -> {
            if (clock.get() - time <= retention && !held.contains(hash)) {
              throw new AssertionError("Seed " + seed + " lost " + hash + " in step " + step);
            }
          });
      times.values().removeIf(time -> clock.get() - time > atMost);
      // What was not swept for two retentions may seem young again.
      if (times.isEmpty()) {
        assertThat(journal.isEmpty()).isTrue();
      }
    }
  }

  /** Every append that has returned before a reading begins is read, whatever others append. */
  @Test
  void noAppendThatHasReturnedIsMissedByAReader() throws Exception {
    Journal journal =
        new Journal("products", 1, Duration.ofNanos(Long.MAX_VALUE), () -> 0, ofBytes(64 << 20));
    AtomicLongArray returned = new AtomicLongArray(APPENDERS);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService appenders = Executors.newFixedThreadPool(APPENDERS);
    List<Future<?>> running = new ArrayList<>();
    try {
      for (int appender = 0; appender < APPENDERS; appender++) {
        int self = appender;
        running.add(
            appenders.submit(
                () -> {
                  for (int key = 0; key < 20_000 && !done.get(); key++) {
                    journal.append((long) self << 32 | key);
                    // A key of all, whose table is copied by one while others look for it.
                    journal.append(3L << 32 | key % 1_000);
                    returned.incrementAndGet(self);
                  }
                }));
      }
      for (int reading = 0; reading < 50; reading++) {
        long[] expected = new long[APPENDERS];
        for (int appender = 0; appender < APPENDERS; appender++) {
          expected[appender] = returned.get(appender);
        }
        Set<Long> found = read(journal);
        for (int appender = 0; appender < APPENDERS; appender++) {
          long first = (long) appender << 32;
          assertThat(LongStream.range(first, first + expected[appender]).allMatch(found::contains))
              .isTrue();
        }
      }
      done.set(true);
      for (Future<?> appender : running) {
        appender.get();
      }
      long kinds = Math.min(1_000, returned.get(0));
      assertThat(journal.size())
          .isGreaterThanOrEqualTo(returned.get(0) + returned.get(1) + returned.get(2) + kinds)
          .isEqualTo(read(journal).size());
    } finally {
      done.set(true);
      appenders.shutdownNow();
    }
  }

  private static void fill(Journal journal, long first, List<Long> taken) {
    for (long i = first; i < first + 100_000; i++) {
      journal.append(i);
      taken.add(i);
    }
  }

  private static void appendAll(Journal journal, long first, int count) {
    for (long hash = first; hash < first + count; hash++) {
      journal.append(hash);
    }
  }

  private static Set<Long> read(Journal journal) {
    Set<Long> found = new HashSet<>();
    journal.forEach((hashes, count) -> add(hashes, count, found));
    return found;
  }

  private static void add(long[] hashes, int count, Set<Long> found) {
    for (int i = 0; i < count; i++) {
      if (!found.add(hashes[i])) {
        throw new AssertionError("twice");
      }
    }
  }
}
