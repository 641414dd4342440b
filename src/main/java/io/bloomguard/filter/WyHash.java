package io.bloomguard.filter;

/**
 * The unkeyed hash wyhash, final version 4, with a 64-bit result, over a key's UTF-8 bytes.
 *
 * <p>Wang Yi, "wyhash" (github.com/wangyi-fudan/wyhash, wyhash.h). It is faster than SipHash and
 * public: whoever knows it can make keys that pass a filter. For keys that nobody outside chooses.
 */
public final class WyHash extends ByteHasher {

  /** The one instance: there is no secret in it. */
  public static final WyHash INSTANCE = new WyHash();

  // The default secret of the final version 4.
  private static final long S0 = 0xa0761d6478bd642fL;
  private static final long S1 = 0xe7037ed1a0b428dbL;
  private static final long S2 = 0x8ebc6af09c88c6e3L;
  private static final long S3 = 0x589965cc75374cc3L;

  private static final long HALF = 0xffffffffL;

  /** The seed zero after its first mix. */
  private static final long SEED = mix(S0, S1);

  private WyHash() {}

  @Override
  public String algorithm() {
    return "wyhash-final-4";
  }

  @Override
  public String secretId() {
    return "";
  }

  @Override
  long hash(byte[] bytes, int length) {
    if (length <= 16) {
      long first = KeyBytes.word(bytes, 0) & (length < 8 ? (1L << (length << 3)) - 1 : -1);
      long second = length <= 8 ? 0 : KeyBytes.word(bytes, length - 8) >>> (16 - length << 3);
      return hash(first, second, length);
    }
    long seed = SEED;
    int at = 0;
    int left = length;
    if (left > 48) {
      long second = seed;
      long third = seed;
      do {
        seed = mix(KeyBytes.word(bytes, at) ^ S1, KeyBytes.word(bytes, at + 8) ^ seed);
        second = mix(KeyBytes.word(bytes, at + 16) ^ S2, KeyBytes.word(bytes, at + 24) ^ second);
        third = mix(KeyBytes.word(bytes, at + 32) ^ S3, KeyBytes.word(bytes, at + 40) ^ third);
        at += 48;
        left -= 48;
      } while (left > 48);
      seed ^= second ^ third;
    }
    for (; left > 16; at += 16, left -= 16) {
      seed = mix(KeyBytes.word(bytes, at) ^ S1, KeyBytes.word(bytes, at + 8) ^ seed);
    }
    return finish(
        KeyBytes.word(bytes, length - 16), KeyBytes.word(bytes, length - 8), seed, length);
  }

  @Override
  long hash(long first, long second, int length) {
    if (length >= 8) {
      // Four bytes at the beginning, four behind or at the middle, and the same from the end.
      int middle = length >> 3 << 2;
      int last = length - 4;
      return finish(
          first << 32 | half(first, second, middle),
          half(first, second, last) << 32 | half(first, second, last - middle),
          SEED,
          length);
    }
    if (length >= 4) {
      long begin = first & HALF;
      long end = first >>> (length - 4 << 3);
      return finish(begin << 32 | begin, end << 32 | end, SEED, length);
    }
    if (length == 0) {
      return finish(0, 0, SEED, 0);
    }
    long three =
        byteAt(first, 0) << 16 | byteAt(first, length >> 1) << 8 | byteAt(first, length - 1);
    return finish(three, 0, SEED, length);
  }

  private static long finish(long a, long b, long seed, int length) {
    long x = a ^ S1;
    long y = b ^ seed;
    return mix(x * y ^ S0 ^ length, unsignedMultiplyHigh(x, y) ^ S1);
  }

  /** Four bytes of two words from byte {@code index}, 0 to 12, on. */
  private static long half(long first, long second, int index) {
    int shift = index << 3;
    long bytes = index >= 8 ? second >>> shift : first >>> shift | second << 1 << 63 - shift;
    return bytes & HALF;
  }

  private static long byteAt(long word, int index) {
    return word >>> (index << 3) & 0xff;
  }

  private static long mix(long a, long b) {
    return a * b ^ unsignedMultiplyHigh(a, b);
  }

  private static long unsignedMultiplyHigh(long a, long b) {
    return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
  }
}
