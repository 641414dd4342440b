package io.bloomguard.filter;

import java.nio.charset.StandardCharsets;

/**
 * The keyed hash SipHash with a 64-bit result, over a key's UTF-8 bytes.
 *
 * <p>Jean-Philippe Aumasson and Daniel J. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT
 * 2012. Keys of ASCII characters are read in place; other text is encoded first. An unpaired
 * surrogate, which the key rules refuse, counts as a question mark, as in {@link String#getBytes}.
 *
 * <p>The four words of the paper's state are local variables and the round is written out where it
 * is used: an object for them would be free of allocation only as long as the JIT can see that it
 * stays within one call, which depends on what else it has compiled.
 */
public final class SipHash implements KeyHasher {

  // "somepseudorandomlygeneratedbytes", as in the paper.
  private static final long V0 = 0x736f6d6570736575L;
  private static final long V1 = 0x646f72616e646f6dL;
  private static final long V2 = 0x6c7967656e657261L;
  private static final long V3 = 0x7465646279746573L;

  private final String algorithm;
  private final String secretId;
  private final long low;
  private final long high;
  private final int rounds;
  private final int finalRounds;

  private SipHash(String algorithm, HashSecret secret, int rounds, int finalRounds) {
    this.algorithm = algorithm;
    this.secretId = secret.id();
    this.low = secret.low();
    this.high = secret.high();
    this.rounds = rounds;
    this.finalRounds = finalRounds;
  }

  /** SipHash-1-3, the default: the variant of Rust's and Python's hash tables. */
  public static SipHash oneThree(HashSecret secret) {
    return new SipHash("siphash-1-3", secret, 1, 3);
  }

  /** SipHash-2-4, the authors' own recommendation. */
  public static SipHash twoFour(HashSecret secret) {
    return new SipHash("siphash-2-4", secret, 2, 4);
  }

  @Override
  public String algorithm() {
    return algorithm;
  }

  @Override
  public String secretId() {
    return secretId;
  }

  @Override
  public long hash(String key) {
    return hash(key, 0x7f);
  }

  /** The hash of bytes as they are. */
  long hash(byte[] bytes) {
    return hash(new String(bytes, StandardCharsets.ISO_8859_1), 0xff);
  }

  /** The hash of characters that stand for one byte each; others are encoded first. */
  private long hash(String key, int highest) {
    long v0 = low ^ V0;
    long v1 = high ^ V1;
    long v2 = low ^ V2;
    long v3 = high ^ V3;
    int length = key.length();
    int seen = 0;
    int i = 0;
    for (; i <= length - Long.BYTES; i += Long.BYTES) {
      int c0 = key.charAt(i);
      int c1 = key.charAt(i + 1);
      int c2 = key.charAt(i + 2);
      int c3 = key.charAt(i + 3);
      int c4 = key.charAt(i + 4);
      int c5 = key.charAt(i + 5);
      int c6 = key.charAt(i + 6);
      int c7 = key.charAt(i + 7);
      seen |= c0 | c1 | c2 | c3 | c4 | c5 | c6 | c7;
      int first = c0 | c1 << 8 | c2 << 16 | c3 << 24;
      int second = c4 | c5 << 8 | c6 << 16 | c7 << 24;
      long word = (first & 0xffffffffL) | (long) second << 32;
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
    long rest = 0;
    for (int shift = 0; i < length; i++, shift += Byte.SIZE) {
      int c = key.charAt(i);
      seen |= c;
      rest |= (long) c << shift;
    }
    return seen <= highest
        ? finish(v0, v1, v2, v3, rest, length)
        : hash(key.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public long hash(long key) {
    // The decimal form has 20 bytes at most: two whole words and a rest, filled from its end.
    int length = decimalLength(key);
    long w0 = 0;
    long w1 = 0;
    long w2 = 0;
    long left = key;
    for (int i = length - 1; i >= 0; i--) {
      long digit;
      if (i == 0 && key < 0) {
        digit = '-';
      } else {
        digit = '0' + Math.abs(left % 10);
        left /= 10;
      }
      long placed = digit << (i << 3);
      switch (i >>> 3) {
        case 0 -> w0 |= placed;
        case 1 -> w1 |= placed;
        default -> w2 |= placed;
      }
    }
    long v0 = low ^ V0;
    long v1 = high ^ V1;
    long v2 = low ^ V2;
    long v3 = high ^ V3;
    for (int whole = length >>> 3; whole > 0; whole--) {
      v3 ^= w0;
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
      v0 ^= w0;
      w0 = w1;
      w1 = w2;
    }
    return finish(v0, v1, v2, v3, w0, length);
  }

  private static int decimalLength(long key) {
    int length = key < 0 ? 2 : 1;
    for (long left = key / 10; left != 0; left /= 10) {
      length++;
    }
    return length;
  }

  /** Takes in the last word, which ends in the length, and finalizes. */
  private long finish(long a, long b, long c, long d, long rest, int length) {
    long word = rest | (long) length << 56;
    long v0 = a;
    long v1 = b;
    long v2 = c;
    long v3 = d ^ word;
    for (int r = 0; r < rounds + finalRounds; r++) {
      if (r == rounds) {
        v0 ^= word;
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
}
