package io.bloomguard.filter;

/**
 * Eight decimal digits in a word, one in each byte, the first one lowest.
 *
 * <p>Two halves of four digits, then four of two, then eight of one are split side by side in one
 * word: a division by 100 or 10 is a multiplication and a shift there, exact for the small numbers
 * in the lanes (Granlund and Montgomery, "Division by Invariant Integers using Multiplication",
 * 1994).
 */
final class DecimalDigits {

  /** The first number of more than eight digits. */
  static final long EIGHT = 100_000_000;

  /** The first number of more than sixteen digits. */
  static final long SIXTEEN = EIGHT * EIGHT;

  private static final long ZEROS = 0x3030303030303030L;

  private DecimalDigits() {}

  /** The digits of a number from 0 to 10^8 - 1, with leading zeros. */
  static long eight(int number) {
    long fours = number / 10_000 | (long) (number % 10_000) << 32;
    long hundreds = (fours * 10_486 >>> 20) & 0x7f0000007fL;
    long twos = hundreds | (fours - hundreds * 100) << 16;
    long tens = (twos * 103 >>> 10) & 0x000f000f000f000fL;
    return tens | (twos - tens * 10) << 8;
  }

  /** The number of digits without leading zeros, at least 1. */
  static int length(long digits) {
    // The last digit counts, even if it is zero.
    return 8 - (Long.numberOfTrailingZeros(digits | 1L << 56) >>> 3);
  }

  /** The digits as ASCII characters. */
  static long text(long digits) {
    return digits | ZEROS;
  }
}
