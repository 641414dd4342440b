package io.bloomguard.classic.internal.hash;

/**
 * Integer arithmetic of PHP 7 and 8 on 64-bit platforms: a sum, difference or product that does not
 * fit 64 bits becomes a double, and a cast or a bit operation turns it into an integer again,
 * modulo 2^64.
 *
 * <p>Source: the chapters "Integers" and "Floating point numbers" of the PHP manual, and values
 * made by PHP 8.2.
 */
final class PhpNumber {

  private static final int MANTISSA_BITS = 52;
  private static final long MANTISSA = (1L << MANTISSA_BITS) - 1;

  /** 2^63, from which on a double does not fit a long. */
  private static final double TOO_LARGE = 0x1p63;

  private PhpNumber() {}

  /** {@code (int) ($a * $b + $c)}. */
  static long multiplyAdd(long a, long b, long c) {
    long product = a * b;
    return fits(a, b, product) ? add(product, c) : integer((double) a * b + c);
  }

  /** {@code (int) ($a * $b)}. */
  static long multiply(long a, long b) {
    long product = a * b;
    return fits(a, b, product) ? product : integer((double) a * b);
  }

  /** {@code (int) floatval($a * $b)}: a product that fits is rounded to a double, too. */
  static long multiplyRounded(long a, long b) {
    long product = a * b;
    return integer(fits(a, b, product) ? (double) product : (double) a * b);
  }

  /** {@code (int) ($a + $b)}. */
  static long add(long a, long b) {
    long sum = a + b;
    return ((a ^ sum) & (b ^ sum)) < 0 ? integer((double) a + b) : sum;
  }

  /** {@code (int) ($a + $b + $c)}. */
  static long add(long a, long b, long c) {
    long sum = a + b;
    return ((a ^ sum) & (b ^ sum)) < 0 ? integer((double) a + b + c) : add(sum, c);
  }

  /** {@code (int) ($a + $b + $c - $d)}. */
  static long addSubtract(long a, long b, long c, long d) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      return integer((double) a + b + c - d);
    }
    long all = sum + c;
    if (((sum ^ all) & (c ^ all)) < 0) {
      return integer((double) sum + c - d);
    }
    long rest = all - d;
    return ((all ^ d) & (all ^ rest)) < 0 ? integer((double) all - d) : rest;
  }

  /** {@code (int) $d}: modulo 2^64 if it does not fit. */
  static long integer(double d) {
    if (Math.abs(d) < TOO_LARGE) {
      return (long) d;
    }
    int shift = Math.getExponent(d) - MANTISSA_BITS;
    if (shift >= Long.SIZE) {
      return 0;
    }
    long size = (Double.doubleToRawLongBits(d) & MANTISSA | MANTISSA + 1) << shift;
    return d < 0 ? -size : size;
  }

  private static boolean fits(long a, long b, long product) {
    return Math.multiplyHigh(a, b) == product >> 63;
  }
}
