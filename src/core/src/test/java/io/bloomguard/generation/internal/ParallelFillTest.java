package io.bloomguard.generation.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParallelFillTest {

  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void everyKeyOfEveryBatchIsInItsPartition(int helpers) {
    for (int partitions : new int[] {1, 3}) {
      List<BlockedFilter> filters = filters(partitions, HASHER);
      try (ParallelFill fill = fill(filters, HASHER, helpers)) {
        String[] texts = new String[100];
        long[] numbers = new long[100];
        for (int batch = 0; batch < 200; batch++) {
          // The arrays are used again while helpers may not have come to the batch yet.
          for (int i = 0; i < 100; i++) {
            texts[i] = "key-" + (batch * 100 + i);
            numbers[i] = batch * 100L + i;
          }
          fill.addAll(texts, 100);
          fill.addAll(numbers, 100);
        }
        fill.finish();
      }
      for (int i = 0; i < 20_000; i++) {
        String text = "key-" + i;
        assertThat(partition(filters, HASHER.hash(text)).mightContain(text)).isTrue();
        assertThat(partition(filters, HASHER.hash((long) i)).mightContain((long) i)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aFailureOfAHelperFailsTheFill(int helpers) {
    KeyHasher broken =
        new KeyHasher() {
          @Override
          public String algorithm() {
            return "broken";
          }

          @Override
          public String secretId() {
            return "";
          }

          @Override
          public long hash(String key) {
            throw new IllegalArgumentException("broken");
          }

          @Override
          public long hash(long key) {
            throw new IllegalArgumentException("broken");
          }
        };
    try (ParallelFill fill = fill(filters(1, broken), broken, helpers)) {
      fill.addAll(new long[] {1}, 1);
      assertThatIllegalStateException()
          .isThrownBy(fill::finish)
          .withRootCauseInstanceOf(IllegalArgumentException.class);
    }
  }

  private static ParallelFill fill(List<BlockedFilter> filters, KeyHasher hasher, int helpers) {
    return new ParallelFill(hasher, filters.stream().map(BlockedFill::new).toList(), helpers);
  }

  private static List<BlockedFilter> filters(int count, KeyHasher hasher) {
    return IntStream.range(0, count)
        .mapToObj(i -> new BlockedFilter(Sizing.blocked(40_000, 1e-4, 8), hasher))
        .toList();
  }

  private static BlockedFilter partition(List<BlockedFilter> filters, long hash) {
    return filters.get(BlockGeometry.partition(hash, filters.size()));
  }
}
