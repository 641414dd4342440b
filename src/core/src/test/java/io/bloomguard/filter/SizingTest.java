package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizingTest {

  /** Bits over the classic optimum: what one cache line a check costs. */
  @ParameterizedTest
  @CsvSource({
    "1, 0.01, 1.24", "1, 0.001, 1.61",
    "2, 0.01, 1.13", "2, 0.001, 1.32",
    "4, 0.01, 1.07", "4, 0.001, 1.16",
    "8, 0.01, 1.03", "8, 0.001, 1.08"
  })
  void blocksCostAFixedShareOfBits(int blockWords, double p, double factor) {
    long n = 10_000_000;
    double bits = Sizing.blocked(n, p, blockWords).bits();
    assertThat(bits / Sizing.classicBits(n, p)).isCloseTo(factor, within(0.01));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0.1",
    "1, 0.0001",
    "100, 0.01",
    "10000, 0.001",
    "1000000, 0.5",
    "1000000, 0.9",
    "1000000, 1e-6",
    "1000000, 1e-9",
    "1000000000, 0.01"
  })
  void aBlockedFilterKeepsItsTargetAndIsAtMostHalfFull(long n, double p) {
    for (int blockWords = 1; blockWords <= 8; blockWords *= 2) {
      FilterShape shape = Sizing.blocked(n, p, blockWords);
      assertThat(shape.falsePositiveProbabilityAt(n)).isLessThanOrEqualTo(p);
      assertThat(shape.designFillRatio()).isLessThanOrEqualTo(0.5);
      assertThat(Sizing.capacity(shape, p)).isGreaterThanOrEqualTo(n);
      assertThat(shape.expectedInsertions()).isEqualTo(n);
      assertThat(shape.falsePositiveProbability()).isEqualTo(p);
    }
  }

  @Test
  void noOtherNumberOfHashesMakesItSmaller() {
    FilterShape shape = Sizing.blocked(1_000_000, 0.001, 4);
    for (int k = 1; k <= 16; k++) {
      FilterShape smaller =
          new FilterShape(Layout.BLOCKED, 1_000_000, 0.001, shape.bits() - 256, 4, k);
      assertThat(smaller.falsePositiveProbabilityAt(1_000_000)).isGreaterThan(0.001);
    }
  }

  @Test
  void theCapacityIsTheLastCountWithinTheProbability() {
    FilterShape shape = Sizing.blocked(50_000, 0.01, 8);
    long capacity = Sizing.capacity(shape, 0.02);
    assertThat(capacity).isGreaterThan(50_000);
    assertThat(shape.falsePositiveProbabilityAt(capacity)).isLessThanOrEqualTo(0.02);
    assertThat(shape.falsePositiveProbabilityAt(capacity + 1)).isGreaterThan(0.02);
    assertThat(Sizing.capacity(Sizing.blocked(1, 0.5, 1), 1e-12)).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0.1",
    "1, 0.5",
    "100, 0.01",
    "10000, 0.001",
    "300000, 0.0001",
    "1000000, 0.03",
    "12345, 0.3",
    "777, 0.7",
    "1000, 1e-9"
  })
  void theGuavaShapeIsWhatGuavaBuilds(long n, double p) throws IOException {
    FilterShape shape = Sizing.shape(Layout.GUAVA, n, p);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), n, p).writeTo(out);
    ByteBuffer form = ByteBuffer.wrap(out.toByteArray());
    assertThat(form.get(1) & 0xff).isEqualTo(shape.hashes());
    assertThat(form.getInt(2) * 64L).isEqualTo(shape.bits());
  }

  @Test
  void countersTakeFourTimesTheMemoryOfBitsAtTheSameProbability() {
    FilterShape bits = Sizing.shape(Layout.BLOCKED, 1_000_000, 0.001);
    FilterShape counters = Sizing.shape(Layout.COUNTING, 1_000_000, 0.001);
    assertThat(counters.bits()).isEqualTo(bits.bits());
    assertThat(counters.blockWords()).isEqualTo(bits.blockWords());
    assertThat(counters.hashes()).isEqualTo(bits.hashes());
    assertThat(counters.sizeBytes()).isEqualTo(4 * bits.sizeBytes());
    assertThat(counters.designFillRatio()).isEqualTo(bits.designFillRatio());
    assertThat(counters.falsePositiveProbabilityAt(2_000_000))
        .isEqualTo(bits.falsePositiveProbabilityAt(2_000_000));
  }

  @ParameterizedTest
  @CsvSource({"0.1, 1", "0.01, 1", "0.001, 2", "1e-9, 8"})
  void theFewestWordsCostAtMostAThirdMoreBits(double p, int words) {
    assertThat(Sizing.fewestBlockWords(p)).isEqualTo(words);
  }

  @Test
  void aFilterOfGivenBitsIsHalfFullWithTheKeysThatItIsSizedFor() {
    long n = Sizing.halfFull(1 << 20, 7);
    FilterShape shape = Sizing.given(n, 1 << 20, 7, 1 << 20);
    assertThat(shape.fillRatioAt(n)).isCloseTo(0.5, within(0.001));
    assertThat(shape.falsePositiveProbability())
        .isEqualTo(shape.falsePositiveProbabilityAt(n))
        .isCloseTo(Math.pow(0.5, 7), within(0.0001));
  }

  @Test
  void theClassicFormulasAreInverse() {
    assertThat(Sizing.classicBits(1_000_000, 0.01)).isEqualTo(9_585_059);
    assertThat(Sizing.classicHashes(1_000_000, 9_585_059)).isEqualTo(7);
    assertThat(Sizing.classicFalsePositiveProbability(1_000_000, 9_585_059, 7))
        .isCloseTo(0.01, within(0.0001));
    assertThat(Sizing.classicCapacity(9_585_059, 0.01)).isEqualTo(1_000_000);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1, -0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY})
  void aProbabilityOutOfBoundsIsRefusedWithValueAndRule(double p) {
    for (Layout layout : Layout.values()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Sizing.shape(layout, 100, p))
          .withMessageContaining(Double.toString(p))
          .withMessageContaining("greater than 0 and less than 1");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void lessThanOneInsertionIsRefusedWithValueAndRule(long n) {
    for (Layout layout : Layout.values()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Sizing.shape(layout, n, 0.01))
          .withMessageContaining(Long.toString(n))
          .withMessageContaining("at least 1");
    }
  }

  @ParameterizedTest
  @CsvSource({"1000000000000000, 0.01", "9223372036854775807, 0.5", "100000000000000, 1e-300"})
  void aFilterPastTheLimitIsRefusedWithTheLimit(long n, double p) {
    for (Layout layout : Layout.values()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Sizing.shape(layout, n, p))
          .withMessageContaining(Long.toString(n))
          .withMessageContaining(Long.toString(FilterSize.MAX_BITS));
    }
  }

  @Test
  void whatGuavaRefusesIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sizing.shape(Layout.GUAVA, 1, 0.9))
        .withMessageContaining("0.9");
  }
}
