package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterSizeTest {

  private static final long TEN_BILLION = 10_000_000_000L;

  /** The classic formula alone rounds to no word. */
  @ParameterizedTest
  @EnumSource(value = Layout.class, mode = EnumSource.Mode.EXCLUDE, names = "CLASSIC")
  void isWhatTheFilterItselfHasWhereOneImageIsEnough(Layout layout) {
    FilterSize size = FilterSize.of(layout, 1_000_000, 0.001);
    FilterShape shape = Sizing.shape(layout, 1_000_000, 0.001);
    assertThat(size.bytes()).isEqualTo(shape.sizeBytes());
    assertThat(size.hashes()).isEqualTo(shape.hashes());
    assertThat(size.blockWords()).isEqualTo(shape.blockWords());
    for (long elements : List.of(1L, 500_000L, 1_000_000L, 4_000_000L)) {
      double p = shape.falsePositiveProbabilityAt(elements);
      assertThat(size.falsePositiveProbabilityAt(elements)).isCloseTo(p, within(p * 1e-9));
    }
    assertThat(size.capacity()).isCloseTo(Sizing.capacity(shape, 0.001), within(1L));
    assertThat(FilterSize.of(shape).bytes()).isEqualTo(size.bytes());
  }

  @Test
  void sizesWhatNoImageHolds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sizing.shape(Layout.BLOCKED, TEN_BILLION, 1e-4).onHeap())
        .withMessageContaining("use `backend: redis`");
    FilterSize classic = FilterSize.classic(TEN_BILLION, 1e-4);
    assertThat(classic.bitsPerKey()).isCloseTo(19.17, within(0.005));
    assertThat(classic.hashes()).isEqualTo(13);
    assertThat(classic.partitions(FilterSize.REDIS_STRING_BYTES)).isEqualTo(45);
    assertThat(classic.partitions(FilterSize.HEAP_ARRAY_BYTES)).isEqualTo(2);
    for (FilterSize size : Sizing.sizes(TEN_BILLION, 1e-4)) {
      assertThat(size.bitsPerKey()).as(size.layout()).isGreaterThan(19);
      assertThat(size.falsePositiveProbabilityAt(TEN_BILLION))
          .as(size.layout())
          .isBetween(0.49e-4, 1.01e-4);
    }
  }

  @Test
  void theRowOfTheBackendRedisIsItsPlan() {
    FilterSize redis =
        Sizing.sizes(TEN_BILLION, 1e-4).stream()
            .filter(size -> size.layout().equals(FilterSize.REDIS))
            .findFirst()
            .orElseThrow();
    assertThat(redis.partitions(FilterSize.REDIS_STRING_BYTES)).isEqualTo(58);
    assertThat(redis.bytes() / (double) (1L << 30)).isCloseTo(28.98, within(0.005));

    FilterShape whole = Sizing.blocked(TEN_BILLION, 1e-4, redis.blockWords());
    FilterPlan plan = FilterPlan.of(whole, FilterSize.REDIS_IMAGE_BYTES);
    assertThat(plan.sizeBytes()).isEqualTo(redis.bytes());
    assertThat(plan.fits(FilterSize.REDIS_IMAGE_BYTES)).isTrue();
    assertThat(FilterPlan.split(whole, 57).fits(FilterSize.REDIS_IMAGE_BYTES)).isFalse();
  }

  /** No partition may be larger than an image, with the keys that chance deals it. */
  @ParameterizedTest
  @CsvSource({"1000000000, 0.01", "10000000000, 0.0001", "300000000, 0.001", "448000000, 0.01"})
  void everyPartitionFits(long n, double p) {
    FilterSize size = FilterSize.blocked(n, p, 8);
    int partitions = size.partitions(FilterSize.REDIS_STRING_BYTES);
    long most = Sizing.partitionInsertions(n, partitions);
    assertThat(FilterSize.blocked(most, p, 8).bytes())
        .isLessThanOrEqualTo(FilterSize.REDIS_STRING_BYTES + 64);
    if (partitions > 1) {
      long fewer = Sizing.partitionInsertions(n, partitions - 1);
      assertThat(FilterSize.blocked(fewer, p, 8).bytes())
          .isGreaterThan(FilterSize.REDIS_STRING_BYTES);
    }
  }

  /** Two strings would hold all keys, but not the more that chance deals to one of them. */
  @Test
  void chanceMayTakeAnotherPartition() {
    double bitsPerKey = FilterSize.blocked(100_000_000, 0.01, 8).bitsPerKey();
    long n = (long) (2 * 8 * FilterSize.REDIS_STRING_BYTES / bitsPerKey) - 1_000;
    FilterSize size = FilterSize.blocked(n, 0.01, 8);
    assertThat(size.bytes()).isLessThan(2 * FilterSize.REDIS_STRING_BYTES);
    assertThat(size.partitions(FilterSize.REDIS_STRING_BYTES)).isEqualTo(3);
  }

  /** RedisBloom's first sub-filter has half the probability: 11 bits at 1 %, not 9.6. */
  @Test
  void aScalingFilterOfRedisBloomCostsElevenBitsAtOnePercent() {
    FilterSize size = FilterSize.redisBloom(1_000_000, 0.01);
    assertThat(size.bitsPerKey()).isCloseTo(11.03, within(0.005));
    assertThat(size.hashes()).isEqualTo(8);
    assertThat(size.falsePositiveProbabilityAt(1_000_000)).isCloseTo(0.005, within(0.0002));
    // A second sub-filter is full at three times the capacity, a third one begun at four times.
    assertThat(size.falsePositiveProbabilityAt(3_000_000)).isCloseTo(0.0075, within(0.0003));
    assertThat(size.falsePositiveProbabilityAt(4_000_000)).isBetween(0.0075, 0.01);
    assertThat(size.falsePositiveProbabilityAt(Long.MAX_VALUE)).isLessThan(0.0105);
  }

  @ParameterizedTest
  @CsvSource({"9223372036854775807, 0.5", "1000000000000000, 0.001", "1000000, 1e-300"})
  void moreThanCanBeToldIsRefusedWithTheLimit(long n, double p) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sizing.sizes(n, p))
        .withMessageContaining(Long.toString(n))
        .withMessageContaining("at most");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e10", "10000000000", "1E+10", "10000000000.0", "0.1e11"})
  void readsWholeNumbers(String text) {
    assertThat(Sizing.wholeNumber(text)).isEqualTo(TEN_BILLION);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "many", "1.5", "1e19", "1e999999999", "1e-999999999", "NaN", "0x10"})
  void refusesWhatIsNoWholeNumber(String text) {
    assertThatExceptionOfType(NumberFormatException.class)
        .isThrownBy(() -> Sizing.wholeNumber(text));
  }

  @Test
  void anExactSetTakesItsKeys() {
    assertThat(Sizing.exactSetBytes(1000, 64)).isEqualTo(64_000);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sizing.exactSetBytes(1000, 0))
        .withMessageContaining("0 bytes")
        .withMessageContaining("at least 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sizing.exactSetBytes(Long.MAX_VALUE, 2))
        .withMessageContaining("more than");
  }

  /** Of few bits the limit says too little: 10 keys in 64 bits, 4 hashes. */
  @Test
  void theExactFormIsAboveItsLimit() {
    double limit = Sizing.classicFalsePositiveProbability(10, 64, 4);
    double exact = Sizing.exactFalsePositiveProbability(10, 64, 4);
    assertThat(exact)
        .isCloseTo(Math.pow(1 - Math.pow(1 - 1.0 / 64, 40), 4), within(1e-12))
        .isGreaterThan(limit);
    assertThat(Sizing.exactFalsePositiveProbability(1_000_000, 10_000_000, 7))
        .isCloseTo(Sizing.classicFalsePositiveProbability(1_000_000, 10_000_000, 7), within(1e-7));
  }
}
