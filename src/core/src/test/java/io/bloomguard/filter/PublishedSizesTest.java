package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The figures that the write-ups of this field print, from the formulas here. */
class PublishedSizesTest {

  /**
   * m/n, the best k, and p for k = 1 to 8, as far as they are printed: tables 3 to 5 of Fan, Cao,
   * Almeida and Broder, "Summary Cache" (pages.cs.wisc.edu/~cao/papers/summary-cache/node8.html).
   *
   * <p>Two slips there: the best k for m/n = 5 is 3.466, cut off to 3.46 where all others are
   * rounded; and the exponent in the limit, e^(kn/m), lacks its minus sign.
   */
  private static final String SUMMARY_CACHE =
      """
      2 1.39 0.393 0.400
      3 2.08 0.283 0.237 0.253
      4 2.77 0.221 0.155 0.147 0.160
      5 3.46 0.181 0.109 0.092 0.092 0.101
      6 4.16 0.154 0.0804 0.0609 0.0561 0.0578 0.0638
      7 4.85 0.133 0.0618 0.0423 0.0359 0.0347 0.0364
      8 5.55 0.118 0.0489 0.0306 0.024 0.0217 0.0216 0.0229
      9 6.24 0.105 0.0397 0.0228 0.0166 0.0141 0.0133 0.0135 0.0145
      10 6.93 0.0952 0.0329 0.0174 0.0118 0.00943 0.00844 0.00819 0.00846
      11 7.62 0.0869 0.0276 0.0136 0.00864 0.0065 0.00552 0.00513 0.00509
      12 8.32 0.08 0.0236 0.0108 0.00646 0.00459 0.00371 0.00329 0.00314
      13 9.01 0.074 0.0203 0.00875 0.00492 0.00332 0.00255 0.00217 0.00199
      14 9.7 0.0689 0.0177 0.00718 0.00381 0.00244 0.00179 0.00146 0.00129
      15 10.4 0.0645 0.0156 0.00596 0.003 0.00183 0.00128 0.001 0.000852
      16 11.1 0.0606 0.0138 0.005 0.00239 0.00139 0.000935 0.000702 0.000574
      17 11.8 0.0571 0.0123 0.00423 0.00193 0.00107 0.000692 0.000499 0.000394
      18 12.5 0.054 0.0111 0.00362 0.00158 0.000839 0.000519 0.00036 0.000275
      19 13.2 0.0513 0.00998 0.00312 0.0013 0.000663 0.000394 0.000264 0.000194
      20 13.9 0.0488 0.00906 0.0027 0.00108 0.00053 0.000303 0.000196 0.00014
      21 14.6 0.0465 0.00825 0.00236 0.000905 0.000427 0.000236 0.000147 0.000101
      22 15.2 0.0444 0.00755 0.00207 0.000764 0.000347 0.000185 0.000112 7.46e-05
      23 15.9 0.0425 0.00694 0.00183 0.000649 0.000285 0.000147 8.56e-05 5.55e-05
      24 16.6 0.0408 0.00639 0.00162 0.000555 0.000235 0.000117 6.63e-05 4.17e-05
      25 17.3 0.0392 0.00591 0.00145 0.000478 0.000196 9.44e-05 5.18e-05 3.16e-05
      26 18 0.0377 0.00548 0.00129 0.000413 0.000164 7.66e-05 4.08e-05 2.42e-05
      27 18.7 0.0364 0.0051 0.00116 0.000359 0.000138 6.26e-05 3.24e-05 1.87e-05
      28 19.4 0.0351 0.00475 0.00105 0.000314 0.000117 5.15e-05 2.59e-05 1.46e-05
      29 20.1 0.0339 0.00444 0.000949 0.000276 9.96e-05 4.26e-05 2.09e-05 1.14e-05
      30 20.8 0.0328 0.00416 0.000862 0.000243 8.53e-05 3.55e-05 1.69e-05 9.01e-06
      31 21.5 0.0317 0.0039 0.000785 0.000215 7.33e-05 2.97e-05 1.38e-05 7.16e-06
      32 22.2 0.0308 0.00367 0.000717 0.000191 6.33e-05 2.5e-05 1.13e-05 5.73e-06
      """;

  private static final double GIB = 1L << 30;

  private static Stream<String> rows() {
    return SUMMARY_CACHE.lines();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void isTheTableOfSummaryCache(String row) {
    String[] cells = row.split(" ");
    int bitsPerKey = Integer.parseInt(cells[0]);
    assertRounded(Sizing.optimalHashes(1, bitsPerKey), cells[1].equals("3.46") ? "3.47" : cells[1]);
    for (int k = 1; k + 1 < cells.length; k++) {
      assertRounded(Sizing.classicFalsePositiveProbability(1, bitsPerKey, k), cells[k + 1]);
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void theBestNumberOfHashesIsTheLeastOfItsRow(String row) {
    int bitsPerKey = Integer.parseInt(row.split(" ")[0]);
    int best =
        IntStream.rangeClosed(1, 64)
            .boxed()
            .min(
                (one, other) ->
                    Double.compare(
                        Sizing.classicFalsePositiveProbability(1, bitsPerKey, one),
                        Sizing.classicFalsePositiveProbability(1, bitsPerKey, other)))
            .orElseThrow();
    assertThat(Sizing.classicHashes(1, bitsPerKey)).isEqualTo(best);
    assertThat(Sizing.optimalHashes(1, bitsPerKey)).isCloseTo(best, within(1.0));
  }

  /** m/n = 3.6 has its best k at 2.495, and three hashes are better than two all the same. */
  @Test
  void theBestNumberOfHashesIsNotTheRoundedOne() {
    assertThat(Sizing.optimalHashes(10, 36)).isCloseTo(2.495, within(0.001));
    assertThat(Sizing.classicHashes(10, 36)).isEqualTo(3);
  }

  /** A billion clicks: false positives among as many absent keys, and the memory. */
  @ParameterizedTest
  @CsvSource({"30, 8, 9011, 3.49", "30, 16, 726, 3.49", "50, 8, 228, 5.82", "50, 16, 1, 5.82"})
  void aBillionKeys(long bitsPerKey, int hashes, long falsePositives, double gib) {
    long n = 1_000_000_000;
    double p = Sizing.classicFalsePositiveProbability(n, n * bitsPerKey, hashes);
    assertThat(Math.round(p * n)).isEqualTo(falsePositives);
    assertThat(n * bitsPerKey / 8 / GIB).isCloseTo(gib, within(0.005));
  }

  /**
   * Ten billion URLs of 64 bytes at 0.01 %. The write-up's "186 G" at 20 bits a key are gibibits:
   * 23.3 GiB.
   */
  @Test
  void tenBillionUrls() {
    long n = 10_000_000_000L;
    assertThat(Sizing.exactSetBytes(n, 64) / GIB).isCloseTo(596, within(0.1));
    assertThat(Sizing.exactSetBytes(n, 64)).isGreaterThan(200_000_000_000L);
    assertThat(Sizing.classicBitsPerKey(1e-4)).isCloseTo(19.17, within(0.005));
    assertThat(Sizing.optimalHashes(n, Sizing.classicBits(n, 1e-4))).isBetween(13.0, 14.0);
    assertThat(Sizing.classicHashes(n, Sizing.classicBits(n, 1e-4))).isEqualTo(13);
    assertThat(Sizing.classicHashes(n, 20 * n)).isEqualTo(14);
    assertThat(Sizing.classicFalsePositiveProbability(n, 20 * n, 14))
        .isCloseTo(6.7e-5, within(0.05e-5));
    assertThat(20 * n / 8 / GIB).isCloseTo(23.3, within(0.05));
    assertThat(20 * n / GIB).isCloseTo(186, within(0.5));
  }

  /**
   * Bits a key, and p with twice as many keys as it was made for, which was read off a curve as 40,
   * 15 and 5 %.
   */
  @ParameterizedTest
  @CsvSource({"0.1, 4.792, 0.385", "0.01, 9.585, 0.148", "0.001, 14.377, 0.057"})
  void twiceOverfilled(double p, double bitsPerKey, double overfilled) {
    assertThat(Sizing.classicBitsPerKey(p)).isCloseTo(bitsPerKey, within(0.0007));
    double best = -Math.log(p) / Math.log(2);
    assertThat(Sizing.overloadedFalsePositiveProbability(1, best)).isCloseTo(p, within(p * 1e-9));
    assertThat(Sizing.overloadedFalsePositiveProbability(2, best))
        .isCloseTo(overfilled, within(0.0005));
  }

  @Test
  void eightBitsAKeyGiveAboutTwoPercent() {
    int hashes = Sizing.classicHashes(1_000_000, 8_000_000);
    assertThat(Sizing.classicFalsePositiveProbability(1_000_000, 8_000_000, hashes))
        .isCloseTo(0.02, within(0.002));
  }

  /**
   * "A hundred million keys at 1 % in 12 MB", which is copied from article to article. These are
   * ten million keys; a hundred million take 120 MB, and in 12 MB most absent keys pass.
   */
  @Test
  void aHundredMillionKeysDoNotFitIntoTwelveMegabytes() {
    long n = 100_000_000;
    long twelveMegabytes = 12_000_000 * 8L;
    assertThat(Sizing.classicBits(n, 0.01)).isEqualTo(958_505_838);
    assertThat(Sizing.classicBits(n, 0.01) / 8e6).isCloseTo(119.8, within(0.05));
    assertThat(Sizing.classicHashes(n, Sizing.classicBits(n, 0.01))).isEqualTo(7);
    assertThat(Sizing.classicCapacity(twelveMegabytes, 0.01)).isBetween(10_000_000L, 10_100_000L);
    assertThat(Sizing.classicHashes(n, twelveMegabytes)).isEqualTo(1);
    assertThat(Sizing.classicFalsePositiveProbability(n, twelveMegabytes, 1))
        .isCloseTo(0.647, within(0.0005));
    assertThat(Sizing.classicFalsePositiveProbability(n, twelveMegabytes, 7))
        .isCloseTo(0.995, within(0.0005));
  }

  /** To as many digits as are printed, which drop zeros at their end. */
  private static void assertRounded(double computed, String printed) {
    BigDecimal expected = new BigDecimal(printed);
    int digits = Math.max(expected.precision(), printed.equals("0.092") ? 2 : 3);
    assertThat(new BigDecimal(computed).round(new MathContext(digits, RoundingMode.HALF_UP)))
        .isEqualByComparingTo(expected);
  }
}
