package io.bloomguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockedFillTest {

  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void whatWasFilledIsWhatWasAddedOneByOne(int blockWords) {
    for (int n : new int[] {1, 100, 700_000}) {
      BlockedFilter filled = filter(n, blockWords);
      BlockedFilter added = filter(n, blockWords);
      BlockedFill fill = new BlockedFill(filled);
      BlockedFill.Lane lane = fill.lane();
      long[] numbers = new long[n];
      for (int i = 0; i < n; i++) {
        numbers[i] = i * 7L;
        added.add(numbers[i]);
      }
      for (long number : numbers) {
        lane.addHash(HASHER.hash(number));
      }
      lane.flush();
      fill.finish();
      assertThat(filled.fillRatio()).isEqualTo(added.fillRatio());
      for (int i = 0; i < filled.words(); i++) {
        assertThat(filled.word(i)).isEqualTo(added.word(i));
      }
    }
  }

  /** From one draw a key to more than one hash gives, in every size of a block. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void anAddInAFillChangesTheBitsThatItChangesInAFilter(int blockWords) {
    for (int hashes = 1; hashes <= 16; hashes++) {
      FilterShape shape =
          new FilterShape(Layout.BLOCKED, 300, 0.5, 100 * 64L * blockWords, blockWords, hashes);
      BlockedFilter filled = new BlockedFilter(shape, HASHER, hashes);
      BlockedFilter added = new BlockedFilter(shape, HASHER, hashes);
      BlockedFill fill = new BlockedFill(filled);
      for (int i = 0; i < 1_000; i++) {
        boolean changed = added.add("key" + i);
        assertThat(fill.add("key" + i)).isEqualTo(changed);
        assertThat(added.mightContain("key" + i)).isTrue();
        assertThat(added.mightContainHash(HASHER.hash("key" + i))).isTrue();
        assertThat(added.mightContainHash(HASHER.hash("other" + i)))
            .isEqualTo(added.mightContain("other" + i));
      }
      fill.finish();
      for (int i = 0; i < filled.words(); i++) {
        assertThat(filled.word(i)).isEqualTo(added.word(i));
      }
    }
  }

  /** Lanes set range by range while others add key by key, during the fill and past its end. */
  @Test
  void manyThreadsFillAndAddAtOnceAndNothingIsLost() throws Exception {
    int threads = 3;
    int keys = 150_000;
    BlockedFilter filter = filter(2 * threads * keys, 8);
    BlockedFill fill = new BlockedFill(filter);
    ExecutorService pool = Executors.newFixedThreadPool(2 * threads);
    try {
      CountDownLatch filled = new CountDownLatch(threads);
      List<Future<?>> ends = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int thread = t;
        ends.add(
            pool.submit(
                () -> {
                  BlockedFill.Lane lane = fill.lane();
                  for (int i = 0; i < keys; i++) {
                    lane.addHash(HASHER.hash("lane-" + thread + "-" + i));
                  }
                  lane.flush();
                  filled.countDown();
                }));
        ends.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < keys; i++) {
                    fill.add("add-" + thread + "-" + i);
                  }
                }));
      }
      filled.await();
      fill.finish();
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      pool.shutdownNow();
    }
    for (int t = 0; t < threads; t++) {
      for (int i = 0; i < keys; i++) {
        assertThat(filter.mightContain("lane-" + t + "-" + i)).isTrue();
        assertThat(filter.mightContain("add-" + t + "-" + i)).isTrue();
      }
    }
    long set = 0;
    for (int i = 0; i < filter.words(); i++) {
      set += Long.bitCount(filter.word(i));
    }
    assertThat(filter.fillRatio()).isEqualTo((double) set / filter.shape().bits());
  }

  @Test
  void anAddSaysWhetherABitChanged() {
    BlockedFill fill = new BlockedFill(filter(1000, 8));
    assertThat(fill.add("a")).isTrue();
    assertThat(fill.add("a")).isFalse();
    fill.finish();
    assertThat(fill.add("a")).isFalse();
    assertThat(fill.add("b")).isTrue();
  }

  private static BlockedFilter filter(int n, int blockWords) {
    return new BlockedFilter(Sizing.blocked(n, 0.01, blockWords), HASHER, 0x5a17L);
  }
}
