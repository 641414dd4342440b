package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilterShapeTest {

  @ParameterizedTest
  @CsvSource({
    "BLOCKED, 1, 0.5, 100, 8, 7, bits",
    "BLOCKED, 1, 0.5, 0, 8, 7, bits",
    "BLOCKED, 1, 0.5, -512, 8, 7, bits",
    "BLOCKED, 1, 0.5, 9007199254741504, 8, 7, bits",
    "BLOCKED, 1, 0.5, 512, 3, 7, block words",
    "BLOCKED, 1, 0.5, 512, 0, 7, block words",
    "BLOCKED, 1, 0.5, 1024, 16, 7, block words",
    "BLOCKED, 1, 0.5, 512, 8, 0, hashes",
    "BLOCKED, 1, 0.5, 512, 8, 17, hashes",
    "BLOCKED, 0, 0.5, 512, 8, 7, expected insertions",
    "BLOCKED, 1, 1.0, 512, 8, 7, probability",
    "COUNTING, 1, 0.5, 2251799813685760, 8, 7, bits",
    "COUNTING, 1, 0.5, 512, 0, 7, block words",
    "GUAVA, 1, 0.5, 512, 8, 7, block words",
    "GUAVA, 1, 0.5, 500, 0, 7, bits",
    "GUAVA, 1, 0.5, 512, 0, 256, hashes"
  })
  void aShapeThatCannotBeIsRefusedWithTheRule(
      Layout layout, long n, double p, long bits, int blockWords, int hashes, String what) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FilterShape(layout, n, p, bits, blockWords, hashes))
        .withMessageContaining(what)
        .withMessageContaining("must be");
  }

  @ParameterizedTest
  @CsvSource({"1, 5, 4.7", "2, 6, 10", "8, 7, 51.3", "8, 16, 20", "4, 1, 177"})
  void theProbabilityOfABlockIsThatOfASimulation(int blockWords, int hashes, double load) {
    SplittableRandom random = new SplittableRandom(42);
    int bits = blockWords * 64;
    int rounds = 20_000;
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
      boolean[] set = new boolean[bits];
      int[] drawn = new int[hashes];
      double arrivals = -Math.log(1 - random.nextDouble());
      int occupied = 0;
      // A Poisson load: exponential gaps until they pass it.
      while (arrivals < load) {
        for (int i = 0; i < hashes; i++) {
          int position = random.nextInt(bits);
          while (blockWords == 1 && drawnBefore(position, drawn, i)) {
            position = random.nextInt(bits);
          }
          drawn[i] = position;
          occupied += set[position] ? 0 : 1;
          set[position] = true;
        }
        arrivals -= Math.log(1 - random.nextDouble());
      }
      double answer = 1;
      for (int i = 0; i < hashes; i++) {
        answer *=
            blockWords == 1
                ? Math.max(0, occupied - i) / (double) (bits - i)
                : (double) occupied / bits;
      }
      sum += answer;
    }
    double simulated = sum / rounds;
    assertThat(BlockedMath.falsePositiveProbability(load, bits, hashes))
        .isCloseTo(simulated, within(simulated * 0.05));
  }

  private static boolean drawnBefore(int position, int[] drawn, int count) {
    return Arrays.stream(drawn, 0, count).anyMatch(other -> other == position);
  }

  @Test
  void theProbabilityGrowsFromNothingToOne() {
    FilterShape shape = Sizing.blocked(1_000, 0.01, 8);
    double before = shape.falsePositiveProbabilityAt(0);
    assertThat(before).isZero();
    for (long n = 1; n < 100_000_000; n = n * 3 / 2 + 1) {
      double p = shape.falsePositiveProbabilityAt(n);
      assertThat(p).isBetween(before, 1.0);
      before = p;
    }
    assertThat(before).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"BLOCKED, 1000000", "BLOCKED, 10", "GUAVA, 1000000", "GUAVA, 10", "COUNTING, 10"})
  void theEstimateIsTheInverseOfTheFill(Layout layout, long n) {
    FilterShape shape = Sizing.shape(layout, n, 0.001);
    for (long elements = 0; elements <= 2 * n; elements += Math.max(1, n / 7)) {
      long bitsSet = Math.round(shape.fillRatioAt(elements) * shape.bits());
      assertThat(shape.estimateElements(bitsSet))
          .isCloseTo(elements, within(Math.max(1, elements / 1000)));
    }
  }

  @Test
  void aFullFilterHasAFiniteEstimate() {
    FilterShape shape = Sizing.blocked(1_000, 0.01, 8);
    assertThat(shape.estimateElements(shape.bits())).isBetween(5_000L, 50_000L);
    assertThatIllegalArgumentException().isThrownBy(() -> shape.estimateElements(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> shape.estimateElements(shape.bits() + 1));
  }
}
