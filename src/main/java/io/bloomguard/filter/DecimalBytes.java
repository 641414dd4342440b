package io.bloomguard.filter;

/**
 * The decimal form of numbers as bytes, eight digits at a time.
 *
 * <p>Two halves of four digits, then four of two, then eight of one are split side by side in one
 * word: a division by 100 or 10 is a multiplication and a shift there, exact for what small numbers
 * the lanes hold (Granlund and Montgomery, "Division by Invariant Integers using Multiplication",
 * 1994).
 */
final class DecimalBytes {

  private static final long EIGHT_DIGITS = 100_000_000;
  private static final long SIXTEEN_DIGITS = EIGHT_DIGITS * EIGHT_DIGITS;
  private static final long ZEROS = 0x3030303030303030L;

  private DecimalBytes() {}

  /**
   * Puts the bytes of {@code Long.toString(number)} at the buffer's beginning; 24 bytes of it may
   * be written.
   *
   * @return how many bytes the form has, 1 to 20
   */
  static int put(long number, byte[] buffer) {
    if (number < 0 || number >= SIXTEEN_DIGITS) {
      return putAny(number, buffer);
    }
    if (number < EIGHT_DIGITS) {
      long digits = eightDigits((int) number);
      // The last digit is written, though it be zero.
      int skipped = Long.numberOfTrailingZeros(digits | 1L << 56) >>> 3;
      KeyBytes.putWord(buffer, 0, (digits | ZEROS) >>> (skipped << 3));
      return 8 - skipped;
    }
    long head = number / EIGHT_DIGITS;
    long first = eightDigits((int) head);
    long second = eightDigits((int) (number - head * EIGHT_DIGITS)) | ZEROS;
    int skipped = Long.numberOfTrailingZeros(first) >>> 3;
    int shift = skipped << 3;
    first |= ZEROS;
    KeyBytes.putWord(buffer, 0, shift == 0 ? first : first >>> shift | second << -shift);
    KeyBytes.putWord(buffer, 8, second >>> shift);
    return 16 - skipped;
  }

  /** The digits of a number below 10^8, one a byte, the first one lowest. */
  private static long eightDigits(int number) {
    long fours = number / 10_000 | (long) (number % 10_000) << 32;
    long hundreds = (fours * 10_486 >>> 20) & 0x7f0000007fL;
    long twos = hundreds | (fours - hundreds * 100) << 16;
    long tens = (twos * 103 >>> 10) & 0x000f000f000f000fL;
    return tens | (twos - tens * 10) << 8;
  }

  private static int putAny(long number, byte[] buffer) {
    int length = number < 0 ? 2 : 1;
    for (long left = number / 10; left != 0; left /= 10) {
      length++;
    }
    long left = number;
    for (int i = length - 1; i >= 0; i--, left /= 10) {
      buffer[i] = (byte) ('0' + Math.abs(left % 10));
    }
    if (number < 0) {
      buffer[0] = '-';
    }
    return length;
  }
}
