package io.bloomguard.classic.internal.hash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The values are what {@code php -r 'var_dump((int)(…));'} of PHP 8.2 prints. */
class PhpNumberTest {

  private static final long MAX = Long.MAX_VALUE;
  private static final long MIN = Long.MIN_VALUE;

  @Test
  void sumsThatDoNotFitAreRoundedAndWrapped() {
    assertThat(PhpNumber.add(-5, 3)).isEqualTo(-2);
    assertThat(PhpNumber.add(MAX, 1)).isEqualTo(MIN);
    assertThat(PhpNumber.add(MAX - 10, 255)).isEqualTo(MIN);
    assertThat(PhpNumber.add(MIN, -3000)).isEqualTo(9_223_372_036_854_773_760L);
    assertThat(PhpNumber.add(MAX, 200, -MAX)).isZero();
    assertThat(PhpNumber.addSubtract(5, MAX, 3, MAX)).isZero();
    assertThat(PhpNumber.addSubtract(MAX, MAX, 0, MAX)).isEqualTo(MIN);
    assertThat(PhpNumber.addSubtract(1, 0, 0, MIN)).isEqualTo(MIN);
    assertThat(PhpNumber.addSubtract(7, 1 << 6, 1 << 16, 1)).isEqualTo(65_606);
  }

  @Test
  void productsThatDoNotFitAreRoundedAndWrapped() {
    assertThat(PhpNumber.multiplyAdd(97, 131, 98)).isEqualTo(12_805);
    assertThat(PhpNumber.multiplyAdd(MAX, 131, 7)).isEqualTo(MIN);
    assertThat(PhpNumber.multiply(MIN, 3)).isEqualTo(MIN);
    assertThat(PhpNumber.multiplyRounded(9_007_199_254_740_993L, 1))
        .isEqualTo(9_007_199_254_740_992L);
    assertThat(PhpNumber.multiplyRounded(MAX, Integer.MAX_VALUE)).isEqualTo(MIN);
  }

  @Test
  void doublesAreCutModuloTwoToThe64() {
    assertThat(PhpNumber.integer(-1.0e20)).isEqualTo(-7_766_279_631_452_241_920L);
    assertThat(PhpNumber.integer(1.0e300)).isZero();
    assertThat(PhpNumber.integer(-0x1p63)).isEqualTo(MIN);
    assertThat(PhpNumber.integer(-2.9)).isEqualTo(-2);
  }
}
