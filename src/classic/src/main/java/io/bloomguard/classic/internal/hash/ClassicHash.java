package io.bloomguard.classic.internal.hash;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The hash functions of the PHP class {@code BloomFilterHash}, over bytes, with the values that PHP
 * 8.2 gives on 64-bit platforms. They are not keyed, and some of them distinguish few keys.
 *
 * <p>Each begins with a number, takes the bytes of a key one after the other, and ends in {@code
 * ($hash % 0xFFFFFFFF) & 0xFFFFFFFF}. {@code RSHash}, which articles list beside them, is not
 * defined in that class.
 */
public enum ClassicHash {

  /** By Justin Sobel. */
  JS(1_315_423_911, (hash, b) -> hash ^ PhpNumber.add(hash << 5, b, hash >> 2)),

  /** By Peter J. Weinberger; this form tests the high bits once, after the loop. */
  PJW(0, ClassicHash::shifted, hash -> folded(hash, ClassicHash.LOW_32_BITS << 28)),

  /** The hash of object files in the ELF format. */
  ELF(0, (hash, b) -> folded(shifted(hash, b), 0xF000_0000L)),

  /** By Brian Kernighan and Dennis Ritchie, with the seed 131. */
  BKDR(0, (hash, b) -> PhpNumber.multiplyAdd(hash, 131, b)),

  /** The hash of the database library sdbm. */
  SDBM(0, (hash, b) -> PhpNumber.addSubtract(b, hash << 6, hash << 16, hash)),

  /** By Daniel J. Bernstein. */
  DJB(5381, (hash, b) -> PhpNumber.add(PhpNumber.add(hash << 5, hash), b)),

  /** By Donald E. Knuth, The Art of Computer Programming, volume 3, section 6.4. */
  DEK(ClassicHash.LENGTH, (hash, b) -> hash << 5 ^ hash >> 27 ^ b),

  /** By Fowler, Noll and Vo, with their 32-bit constants. */
  FNV(
      2_166_136_261L,
      (hash, b) -> PhpNumber.multiply(hash, 16_777_619) % ClassicHash.LOW_32_BITS ^ b);

  private static final long LOW_32_BITS = 0xFFFF_FFFFL;

  /** Begins with the number of a key's bytes. */
  private static final long LENGTH = -1;

  private final long begin;
  private final LongBinaryOperator step;
  private final LongUnaryOperator end;

  ClassicHash(long begin, LongBinaryOperator step) {
    this(begin, step, LongUnaryOperator.identity());
  }

  ClassicHash(long begin, LongBinaryOperator step, LongUnaryOperator end) {
    this.begin = begin;
    this.step = step;
    this.end = end;
  }

  private static long shifted(long hash, long next) {
    return PhpNumber.add(hash << 4, next);
  }

  /** Moves the high bits down, and clears them. */
  private static long folded(long hash, long highBits) {
    return (hash ^ (hash & highBits) >> 24) & ~highBits;
  }

  /**
   * {@return the hash of a key's bytes, 0 to 2^32 - 1}
   *
   * @param key the bytes of a key
   */
  public final long hash(byte[] key) {
    long hash = begin == LENGTH ? key.length : begin;
    for (byte b : key) {
      hash = step.applyAsLong(hash, b & 0xff);
    }
    return end.applyAsLong(hash) % LOW_32_BITS & LOW_32_BITS;
  }

  /**
   * {@return the hash of that name, such as {@code bkdr}; null for none}
   *
   * @param name the name in lower case
   */
  public static @Nullable ClassicHash named(String name) {
    return Arrays.stream(values())
        .filter(hash -> hash.toString().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** {@return all names, with commas between them} */
  public static String names() {
    return Arrays.stream(values()).map(ClassicHash::toString).collect(Collectors.joining(", "));
  }

  /** The name in settings. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
