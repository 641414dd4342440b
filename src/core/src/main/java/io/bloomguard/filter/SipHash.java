package io.bloomguard.filter;

import java.util.Arrays;

/**
 * The keyed hash SipHash with a 64-bit result, over a key's UTF-8 bytes.
 *
 * <p>Jean-Philippe Aumasson and Daniel J. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT
 * 2012.
 *
 * <p>The four words of the paper's state are local variables and the round is written out where it
 * is used: an object for them would avoid the allocation only while the JIT can prove that it stays
 * within one call, which depends on the other code that it has compiled. The numbers of rounds come
 * as constants from {@link OneThree} and {@link TwoFour}, so that their loops are unrolled.
 */
public abstract class SipHash extends ByteHasher {

  // "somepseudorandomlygeneratedbytes", as in the paper.
  private static final long V0 = 0x736f6d6570736575L;
  private static final long V1 = 0x646f72616e646f6dL;
  private static final long V2 = 0x6c7967656e657261L;
  private static final long V3 = 0x7465646279746573L;

  private final String algorithm;
  private final String secretId;
  private final long low;
  private final long high;

  private SipHash(String algorithm, HashSecret secret) {
    this.algorithm = algorithm;
    this.secretId = secret.id();
    this.low = secret.low();
    this.high = secret.high();
  }

  /**
   * {@return SipHash-1-3, the default: the variant of Rust's and Python's hash tables}
   *
   * @param secret the secret that keys the hash
   */
  public static SipHash oneThree(HashSecret secret) {
    return new OneThree(secret);
  }

  /**
   * {@return SipHash-2-4, the authors' own recommendation}
   *
   * @param secret the secret that keys the hash
   */
  public static SipHash twoFour(HashSecret secret) {
    return new TwoFour(secret);
  }

  @Override
  public final String algorithm() {
    return algorithm;
  }

  @Override
  public final String secretId() {
    return secretId;
  }

  /** The hash of the first {@code length} bytes of an array, in that many rounds. */
  final long hash(byte[] bytes, int length, int rounds, int finalRounds) {
    long v0 = low ^ V0;
    long v1 = high ^ V1;
    long v2 = low ^ V2;
    long v3 = high ^ V3;
    int i = 0;
    for (; i <= length - Long.BYTES; i += Long.BYTES) {
      long word = KeyBytes.word(bytes, i);
      v3 ^= word;
      for (int r = 0; r < rounds; r++) {
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 = Long.rotateLeft(v2, 32);
      }
      v0 ^= word;
    }
    // Masks the bytes behind the key.
    long kept = (1L << (length - i << 3)) - 1;
    long last = KeyBytes.word(bytes, i) & kept | (long) length << 56;
    return finish(v0, v1, v2, v3, last, rounds, finalRounds);
  }

  /** The hash of the first {@code length} bytes of two words, in that many rounds. */
  final long hash(long first, long second, int length, int rounds, int finalRounds) {
    long v0 = low ^ V0;
    long v1 = high ^ V1;
    long v2 = low ^ V2;
    long v3 = high ^ V3;
    long word = first;
    long rest = second;
    for (int left = length; left >= Long.BYTES; left -= Long.BYTES) {
      v3 ^= word;
      for (int r = 0; r < rounds; r++) {
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 = Long.rotateLeft(v2, 32);
      }
      v0 ^= word;
      word = rest;
      rest = 0;
    }
    return finish(v0, v1, v2, v3, word | (long) length << 56, rounds, finalRounds);
  }

  /** Takes in the last word, which ends in the length, and finalizes. */
  private static long finish(
      long a, long b, long c, long d, long last, int rounds, int finalRounds) {
    long v0 = a;
    long v1 = b;
    long v2 = c;
    long v3 = d ^ last;
    for (int r = 0; r < rounds + finalRounds; r++) {
      if (r == rounds) {
        v0 ^= last;
        v2 ^= 0xff;
      }
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /** The hash of bytes as they are. */
  final long hash(byte[] bytes) {
    return hash(Arrays.copyOf(bytes, bytes.length + KeyBytes.ROOM), bytes.length);
  }

  private static final class OneThree extends SipHash {

    OneThree(HashSecret secret) {
      super("siphash-1-3", secret);
    }

    @Override
    long hash(byte[] bytes, int length) {
      return hash(bytes, length, 1, 3);
    }

    @Override
    long hash(long first, long second, int length) {
      return hash(first, second, length, 1, 3);
    }
  }

  private static final class TwoFour extends SipHash {

    TwoFour(HashSecret secret) {
      super("siphash-2-4", secret);
    }

    @Override
    long hash(byte[] bytes, int length) {
      return hash(bytes, length, 2, 4);
    }

    @Override
    long hash(long first, long second, int length) {
      return hash(first, second, length, 2, 4);
    }
  }
}
