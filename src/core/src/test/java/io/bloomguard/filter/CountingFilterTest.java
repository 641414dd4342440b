package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The layout counting: what adding and removing do to the counters of keys. */
class CountingFilterTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final KeyHasher HASHER = SipHash.oneThree(SECRET);

  @TempDir private Path directory;

  @Test
  void aRemovedKeyIsAbsentAndTheFilterAsEmptyAsBefore() {
    BlockedFilter filter = filter(Sizing.shape(Layout.COUNTING, 1_000, 0.001));
    assertThat(filter.add("a")).isTrue();
    assertThat(filter.mightContain("a")).isTrue();
    assertThat(filter.estimatedElements()).isOne();
    assertThat(filter.remove("a")).isTrue();
    assertThat(filter.mightContain("a")).isFalse();
    assertThat(filter.fillRatio()).isZero();
    assertThat(words(filter)).containsOnly(0L);
  }

  @Test
  void aKeyAddedTwiceNeedsTwoRemovals() {
    BlockedFilter filter = filter(Sizing.shape(Layout.COUNTING, 1_000, 0.001));
    assertThat(filter.add("a")).isTrue();
    assertThat(filter.add("a")).as("changes no position").isFalse();
    assertThat(filter.remove("a")).isTrue();
    assertThat(filter.mightContain("a")).isTrue();
    assertThat(filter.remove("a")).isTrue();
    assertThat(filter.mightContain("a")).isFalse();
    assertThat(filter.remove("a")).isFalse();
  }

  @Test
  void aKeyThatIsCertainlyAbsentChangesNothing() {
    BlockedFilter filter = filter(Sizing.shape(Layout.COUNTING, 100, 0.3));
    for (int key = 0; key < 100; key++) {
      filter.add(key);
    }
    List<Long> before = words(filter);
    int changed = 0;
    for (int key = 100; key < 10_000; key++) {
      String absent = Integer.toString(key);
      if (!filter.mightContain(absent)) {
        changed += filter.remove(absent) ? 1 : 0;
      }
    }
    assertThat(changed).isZero();
    assertThat(words(filter)).isEqualTo(before);
  }

  @Test
  void aCounterThatIsFullStaysAndItsKeyWithIt() {
    BlockedFilter filter = filter(Sizing.shape(Layout.COUNTING, 1_000, 0.001));
    for (int i = 0; i < 40; i++) {
      filter.add("a");
    }
    List<Long> full = words(filter);
    for (int i = 0; i < 40; i++) {
      assertThat(filter.remove("a")).as("no counter of it can be decremented").isFalse();
    }
    assertThat(words(filter)).isEqualTo(full);
    assertThat(filter.mightContain("a")).isTrue();
  }

  @Test
  void fifteenAdditionsAreFullAndFourteenAreNot() {
    BlockedFilter filter = filter(Sizing.shape(Layout.COUNTING, 1_000, 0.001));
    for (int i = 0; i < 14; i++) {
      filter.add("b");
    }
    for (int i = 0; i < 14; i++) {
      assertThat(filter.remove("b")).isTrue();
    }
    assertThat(filter.mightContain("b")).isFalse();
    for (int i = 0; i < 15; i++) {
      filter.add("b");
    }
    assertThat(filter.remove("b")).isFalse();
    assertThat(filter.mightContain("b")).isTrue();
  }

  /** One block and many draws: nearly every key draws some position twice. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void positionsThatAKeyHasTwiceCountOnce(int blockWords) {
    BlockedFilter filter =
        filter(new FilterShape(Layout.COUNTING, 9, 0.5, 64L * blockWords, blockWords, 16));
    BlockedFilter plain =
        filter(new FilterShape(Layout.BLOCKED, 9, 0.5, 64L * blockWords, blockWords, 16));
    for (long hash = 1; hash < 200; hash++) {
      long spread = hash * 0x9e3779b97f4a7c15L;
      assertThat(filter.addHash(spread)).isTrue();
      plain.addHash(spread);
      assertThat(words(filter).stream().mapToLong(CountingFilterTest::sum).sum())
          .isEqualTo(words(plain).stream().mapToLong(Long::bitCount).sum());
      assertThat(filter.removeHash(spread)).isTrue();
      assertThat(words(filter)).containsOnly(0L);
      words(plain); // a filter of bits cannot be emptied
      plain = filter(plain.shape());
    }
  }

  /** As BITFIELD GET u4 #position reads it in Redis: from the highest bits of the first byte. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void itsCountersLieInTheOrderOfPositions(int blockWords) {
    FilterShape shape = new FilterShape(Layout.COUNTING, 9, 0.5, 512L * blockWords, blockWords, 5);
    BlockedFilter filter = filter(shape);
    BlockGeometry geometry = filter.geometry();
    long[] masks = new long[blockWords];
    for (long key = 1; key < 100; key++) {
      long hash = key * 0x9e3779b97f4a7c15L;
      filter.addHash(hash);
      ByteBuffer image = ByteBuffer.allocate((int) shape.sizeBytes());
      filter.readWords(0, image);
      geometry.masks(hash, masks);
      long first = geometry.blockIndex(hash) * blockWords * 64;
      for (int position = 0; position < shape.bits(); position++) {
        int counter = image.get(position / 2) >> (position % 2 == 0 ? 4 : 0) & 15;
        long inBlock = position - first;
        boolean drawn =
            inBlock >= 0
                && inBlock < blockWords * 64L
                && (masks[(int) inBlock >> 6] >>> inBlock & 1) != 0;
        assertThat(counter).isEqualTo(drawn ? 1 : 0);
        assertThat(filter.isSet(position)).isEqualTo(drawn);
      }
      filter.removeHash(hash);
    }
  }

  @Test
  void theAnswersAreThoseOfTheBlockedLayout() {
    FilterShape counting = Sizing.shape(Layout.COUNTING, 5_000, 0.01);
    BlockedFilter counters = filter(counting);
    BlockedFilter bits = filter(Sizing.shape(Layout.BLOCKED, 5_000, 0.01));
    for (long key = 0; key < 5_000; key++) {
      assertThat(counters.add(key)).isEqualTo(bits.add(key));
    }
    for (long key = 0; key < 100_000; key++) {
      assertThat(counters.mightContain(key)).isEqualTo(bits.mightContain(key));
    }
    assertThat(counters.fillRatio()).isEqualTo(bits.fillRatio());
    assertThat(bits.remove("1")).as("bits do not count").isFalse();
  }

  @Test
  void aSnapshotHasItsCounters() throws IOException {
    FilterShape shape = Sizing.shape(Layout.COUNTING, 100, 0.01);
    BlockedFilter filter = filter(shape);
    filter.add("once");
    filter.add("twice");
    filter.add("twice");
    BlockedSnapshot snapshot =
        new BlockedSnapshot("products", shape, KeyHash.SIPHASH_1_3, SECRET, KeyFolding.EXACT);
    Path file = directory.resolve("products");
    try (OutputStream out = Files.newOutputStream(file)) {
      snapshot.write(filter, 0, null, Instant.EPOCH, out);
    }
    BlockedFilter read =
        (BlockedFilter) snapshot.read(file, Instant.EPOCH, Duration.ofDays(1)).bits();
    assertThat(words(read)).isEqualTo(words(filter));
    assertThat(read.fillRatio()).isEqualTo(filter.fillRatio());
    assertThat(read.remove("twice")).isTrue();
    assertThat(read.remove("once")).isTrue();
    assertThat(read.mightContain("twice")).isTrue();
    assertThat(read.mightContain("once")).isFalse();
  }

  @Test
  void aFillCountsLikeAdditionsOneByOne() {
    FilterShape shape = Sizing.shape(Layout.COUNTING, 20_000, 0.01);
    BlockedFilter one = filter(shape);
    BlockedFilter filled = filter(shape);
    BlockedFill fill = new BlockedFill(filled);
    BlockedFill.Lane lane = fill.lane();
    for (long key = 0; key < 20_000; key++) {
      one.add(key);
      lane.addHash(HASHER.hash(key));
      if (key % 10 == 0) {
        one.add(key);
        fill.add(Long.toString(key));
      }
    }
    lane.flush();
    fill.finish();
    assertThat(words(filled)).isEqualTo(words(one));
    assertThat(filled.fillRatio()).isEqualTo(one.fillRatio());
    for (long key = 0; key < 20_000; key++) {
      assertThat(filled.remove(Long.toString(key))).isTrue();
    }
    for (long key = 0; key < 20_000; key += 10) {
      assertThat(filled.mightContain(key)).isTrue();
      filled.remove(Long.toString(key));
    }
    // A counter that was full on the way stays where it is.
    assertThat(filled.fillRatio()).isLessThan(0.001);
  }

  /**
   * Each key is added and removed by one thread in turn, never more often removed than added, while
   * others check keys that stay: crowded into few blocks, so that all share counters.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void noThreadsRemovalMakesAnothersKeyAbsent(int blockWords) throws Exception {
    // Few keys a counter, so that none is ever full: then the end must be exact.
    FilterShape shape =
        new FilterShape(Layout.COUNTING, 9, 0.5, 2L * 64 * blockWords, blockWords, 3);
    for (int round = 0; round < 30; round++) {
      BlockedFilter filter = filter(shape);
      long[] staying = {11, 12, 13};
      for (long key : staying) {
        filter.add(key);
      }
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        List<Callable<Boolean>> work = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
          long seed = round * 10L + thread;
          work.add(() -> addAndRemove(filter, seed));
        }
        work.add(
            () -> {
              for (int i = 0; i < 20_000; i++) {
                if (!filter.mightContain(staying[i % 3])) {
                  return false;
                }
              }
              return true;
            });
        for (Future<Boolean> done : threads.invokeAll(work)) {
          assertThat(done.get()).isTrue();
        }
      } finally {
        threads.shutdownNow();
      }
      BlockedFilter expected = filter(shape);
      for (long key : staying) {
        expected.add(key);
      }
      assertThat(words(filter)).isEqualTo(words(expected));
      assertThat(filter.fillRatio()).isEqualTo(expected.fillRatio());
    }
  }

  /** Two keys of its own, of which each is in at most once. */
  private static boolean addAndRemove(BlockedFilter filter, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, Boolean> in = new HashMap<>();
    for (int i = 0; i < 5_000; i++) {
      String key = seed + ":" + random.nextInt(2);
      if (in.getOrDefault(key, false)) {
        if (!filter.mightContain(key) || !filter.remove(key)) {
          return false;
        }
        in.put(key, false);
      } else {
        filter.add(key);
        in.put(key, true);
      }
    }
    in.forEach(
        (key, there) -> {
          if (there) {
            filter.remove(key);
          }
        });
    return true;
  }

  /** Of many removals of a key that was added once, at the same time, one takes effect. */
  @Test
  void oneOfManyRemovalsTakesEffect() throws InterruptedException, ExecutionException {
    FilterShape shape = Sizing.shape(Layout.COUNTING, 10, 1e-9);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 500; round++) {
        BlockedFilter filter = filter(shape);
        String key = "key-" + round;
        filter.add(key);
        List<Callable<Boolean>> removals = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          removals.add(() -> filter.remove(key));
        }
        int removed = 0;
        for (Future<Boolean> removal : threads.invokeAll(removals)) {
          removed += removal.get() ? 1 : 0;
        }
        assertThat(removed).isOne();
        assertThat(words(filter)).containsOnly(0L);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static BlockedFilter filter(FilterShape shape) {
    return new BlockedFilter(shape, HASHER);
  }

  private static List<Long> words(BlockedFilter filter) {
    List<Long> words = new ArrayList<>();
    for (long i = 0; i < filter.words(); i++) {
      words.add(filter.word(i));
    }
    return words;
  }

  private static long sum(long word) {
    long sum = 0;
    for (int shift = 0; shift < 64; shift += 4) {
      sum += word >>> shift & 15;
    }
    return sum;
  }
}
