package io.bloomguard.filter;

/**
 * A hash over the bytes of a key, which it gets without an allocation.
 *
 * <p>Up to 16 bytes are passed in two words, the first byte lowest, without an array. Longer keys
 * are copied into the thread's buffer.
 */
abstract class ByteHasher implements KeyHasher {

  /** The most bytes that two words hold. */
  private static final int SHORT = 2 * Long.BYTES;

  @Override
  public final long hash(String key) {
    int length = key.length();
    // Both ends are read, eight or four characters each: where they overlap they agree.
    if (length > 8 && length <= 12) {
      long first = eight(key, 0);
      long last = four(key, length - 4);
      if ((first | last) >= 0) {
        return hash(first, last >>> (12 - length << 3), length);
      }
    } else if (length >= 8 && length <= SHORT) {
      long first = eight(key, 0);
      long last = eight(key, length - 8);
      if ((first | last) >= 0) {
        return hash(first, length == 8 ? 0 : last >>> (SHORT - length << 3), length);
      }
    } else if (length >= 4 && length < 8) {
      long first = four(key, 0);
      long last = four(key, length - 4);
      if ((first | last) >= 0) {
        return hash(first | last << (length - 4 << 3), 0, length);
      }
    }
    return hashBuffered(key);
  }

  private long hashBuffered(String key) {
    byte[] buffer = KeyBytes.buffer();
    int length = KeyBytes.put(key, buffer);
    if (length >= 0) {
      return hash(buffer, length);
    }
    byte[] bytes = KeyBytes.copyOf(key);
    return hash(bytes, bytes.length - KeyBytes.ROOM);
  }

  @Override
  public final long hash(long key) {
    if (key < 0 || key >= DecimalDigits.SIXTEEN) {
      return hash(Long.toString(key));
    }
    if (key < DecimalDigits.EIGHT) {
      long digits = DecimalDigits.eight((int) key);
      int length = DecimalDigits.length(digits);
      return hash(DecimalDigits.text(digits) >>> (8 - length << 3), 0, length);
    }
    long head = key / DecimalDigits.EIGHT;
    long digits = DecimalDigits.eight((int) head);
    long first = DecimalDigits.text(digits);
    long second = DecimalDigits.text(DecimalDigits.eight((int) (key - head * DecimalDigits.EIGHT)));
    int shift = 8 - DecimalDigits.length(digits) << 3;
    // A shift by zero in two steps: a shift by 64 would be one by 0.
    return hash(
        first >>> shift | second << 1 << 63 - shift, second >>> shift, SHORT - (shift >>> 3));
  }

  /** Eight characters, each one byte; negative if one of them is not ASCII. */
  private static long eight(String key, int index) {
    long low = four(key, index);
    long high = four(key, index + 4);
    return high << 32 | low;
  }

  /** Four characters, each one byte; negative if one of them is not ASCII. */
  private static long four(String key, int index) {
    int a = key.charAt(index);
    int b = key.charAt(index + 1);
    int c = key.charAt(index + 2);
    int d = key.charAt(index + 3);
    return (a | b | c | d) < 0x80 ? a | b << 8 | c << 16 | d << 24 : -1;
  }

  /** The hash of the first {@code length} bytes of two words, at most 16; the rest is zero. */
  abstract long hash(long first, long second, int length);

  /**
   * The hash of {@code bytes[0..length)}. Behind them {@link KeyBytes#ROOM} more bytes can be read,
   * which are not part of the key.
   */
  abstract long hash(byte[] bytes, int length);
}
