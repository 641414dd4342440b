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
    long a;
    long b;
    long seed = SEED;
    if (length > 16) {
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
      a = KeyBytes.word(bytes, length - 16);
      b = KeyBytes.word(bytes, length - 8);
    } else if (length >= 4) {
      int middle = length >> 3 << 2;
      int last = length - 4;
      a = half(bytes, 0) << 32 | half(bytes, middle);
      b = half(bytes, last) << 32 | half(bytes, last - middle);
    } else if (length > 0) {
      a = (bytes[0] & 0xffL) << 16 | (bytes[length >> 1] & 0xffL) << 8 | bytes[length - 1] & 0xffL;
      b = 0;
    } else {
      a = 0;
      b = 0;
    }
    a ^= S1;
    b ^= seed;
    return mix(a * b ^ S0 ^ length, unsignedMultiplyHigh(a, b) ^ S1);
  }

  /** Four bytes, the first one lowest. */
  private static long half(byte[] bytes, int index) {
    return KeyBytes.word(bytes, index) & 0xffffffffL;
  }

  private static long mix(long a, long b) {
    return a * b ^ unsignedMultiplyHigh(a, b);
  }

  private static long unsignedMultiplyHigh(long a, long b) {
    return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
  }
}
