package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The published figures of a window of clicks: ten minutes of a thousand million a day.
 *
 * <p>Misprints: the keys of ten minutes are 6.94 million, rounded to 7; m for 30 bits a key is
 * printed as 2100万 (21 million), but 30 x 7 million are 2.1亿 (210 million); and 25.03 and 41.72
 * "MB" are MiB.
 */
class DeduplicationFiguresTest {

  /** As published: rounded up. */
  private static final long KEYS = 7_000_000;

  private static final double MEBIBYTE = 1 << 20;

  @Test
  void tenMinutesOfAThousandMillionClicksADayAreSevenMillionKeys() {
    double keys = 1e9 * 10 / (24 * 60);
    assertThat(keys).isCloseTo(6.94e6, within(0.005e6));
    assertThat(Math.round(keys / 1e6)).isEqualTo(KEYS / 1_000_000);
  }

  @ParameterizedTest
  @CsvSource({
    "30, 8, 210000000, 25.03, 63, 0.5",
    "30, 16, 210000000, 25.03, 5, 0.5",
    "50, 8, 350000000, 41.72, 1.6, 0.05",
    "50, 16, 350000000, 41.72, 0, 0.5",
  })
  void falsePositivesAndMemoryAreThosePublished(
      long bitsPerKey, int hashes, long bits, double mebibytes, double wrong, double rounding) {
    assertThat(KEYS * bitsPerKey).isEqualTo(bits);
    assertThat(bits / 8 / MEBIBYTE).isCloseTo(mebibytes, within(0.005));
    assertThat(KEYS * Sizing.classicFalsePositiveProbability(KEYS, bits, hashes))
        .isCloseTo(wrong, within(rounding));
  }
}
