package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import com.sun.management.ThreadMXBean;
import io.bloomguard.filter.internal.BlockedFilter;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SipHashTest {

  private static final HashSecret PAPER = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final HashSecret ZERO = HashSecret.parse("0".repeat(32));
  private static final int KEYS = 20_000;

  /** The authors' vectors of SipHash-2-4: message i is the bytes 0, 1, … i - 1. */
  @ParameterizedTest
  @CsvSource({
    "0, 726fdb47dd0e0e31",
    "1, 74f839c593dc67fd",
    "2, 0d6c8009d9a94f5a",
    "3, 85676696d7fb7e2d",
    "7, ab0200f58b01d137",
    "8, 93f5f5799a932462",
    "9, 9e0082df0ba9e4b0",
    "15, a129ca6149be45e5",
    "16, 3f2acc7f57c29bdb",
    "31, 32d892fad841c342",
    "32, 7127512f72f27cce",
    "63, 958a324ceb064572"
  })
  void twoFourKeepsTheReferenceVectors(int length, String expected) {
    assertBothForms(SipHash.twoFour(PAPER), length, expected);
  }

  /** What CPython 3.11, whose hash is SipHash-1-3, gives for bytes with PYTHONHASHSEED=0. */
  @ParameterizedTest
  @CsvSource({
    "1, 68a914128e01e473",
    "2, 010bac45c41e3669",
    "7, 2f098ab0c751325a",
    "8, ead411e67ebe2eea",
    "9, 75927f9d95124362",
    "15, f30eb725bb91c9ea",
    "16, 8972188433a5c5b7",
    "17, 4883c49a2c009c1d",
    "31, 169739443111d49b",
    "32, 31ef8061c910629b",
    "63, 385d3e39e5f37359",
    "64, 75e05fd5bbc870c6"
  })
  void oneThreeKeepsTheVectorsOfAnIndependentProgram(int length, String expected) {
    assertBothForms(SipHash.oneThree(ZERO), length, expected);
  }

  @Test
  void twoFourIsGuavasOnEveryText() {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < KEYS; i++) {
      HashSecret secret = secret(random);
      HashFunction guava = Hashing.sipHash24(secret.low(), secret.high());
      String key = RandomKeys.text(random, random.nextInt(70));
      assertThat(SipHash.twoFour(secret).hash(key))
          .as("text of %d chars", key.length())
          .isEqualTo(guava.hashString(key, StandardCharsets.UTF_8).asLong());
    }
  }

  @Test
  void oneThreeIsThePaperStepByStepOnEveryText() {
    SplittableRandom random = new SplittableRandom(43);
    for (int i = 0; i < KEYS; i++) {
      HashSecret secret = secret(random);
      String key = RandomKeys.text(random, random.nextInt(70));
      assertThat(SipHash.oneThree(secret).hash(key))
          .as("text of %d chars", key.length())
          .isEqualTo(paper(secret, key.getBytes(StandardCharsets.UTF_8), 1, 3));
    }
  }

  @Test
  void aNumberIsItsDecimalText() {
    SplittableRandom random = new SplittableRandom(44);
    LongStream powers = LongStream.iterate(1, p -> p * 10).limit(19);
    LongStream edges = powers.flatMap(p -> LongStream.of(p - 1, p, p + 1, -p, 1 - p, -p - 1));
    LongStream extremes = LongStream.of(0, Long.MAX_VALUE, Long.MIN_VALUE);
    LongStream any = LongStream.generate(() -> random.nextLong() >> random.nextInt(64)).limit(KEYS);
    SipHash hash = SipHash.oneThree(PAPER);
    LongStream.concat(LongStream.concat(edges, extremes), any)
        .forEach(
            key ->
                assertThat(hash.hash(key)).as("%d", key).isEqualTo(hash.hash(Long.toString(key))));
  }

  @Test
  void anUnpairedSurrogateCountsAsAQuestionMark() {
    assertThat(SipHash.oneThree(PAPER).hash("a\ud83db"))
        .isEqualTo(SipHash.oneThree(PAPER).hash("a?b"));
  }

  @Test
  void algorithmAndSecretAreNamed() {
    assertThat(SipHash.oneThree(PAPER).algorithm()).isEqualTo("siphash-1-3");
    assertThat(SipHash.twoFour(PAPER).algorithm()).isEqualTo("siphash-2-4");
    assertThat(SipHash.oneThree(PAPER).secretId()).isEqualTo(PAPER.id());
  }

  @Test
  void aCheckOfAnAsciiKeyOrANumberAllocatesNothing() {
    BlockedFilter filter =
        new BlockedFilter(Sizing.blocked(1_000, 0.01, 8), SipHash.oneThree(PAPER));
    String[] keys =
        LongStream.range(0, 1_000).mapToObj(i -> "key-number-" + i).toArray(String[]::new);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    long hits = 0;
    // Only compiled code is free of allocation; when that is reached is the machine's affair.
    for (int run = 0; run < 200 && least > 1_000; run++) {
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < keys.length; i++) {
        hits += filter.mightContain(keys[i]) ? 1 : 0;
        hits += filter.mightContain((long) i) ? 1 : 0;
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
    }
    assertThat(hits).isZero();
    assertThat(least).as("bytes allocated by 2,000 checks").isLessThanOrEqualTo(1_000);
  }

  private static void assertBothForms(SipHash hash, int length, String expected) {
    byte[] message = new byte[length];
    for (int i = 0; i < length; i++) {
      message[i] = (byte) i;
    }
    long vector = Long.parseUnsignedLong(expected, 16);
    assertThat(hash.hash(message)).isEqualTo(vector);
    assertThat(hash.hash(new String(message, StandardCharsets.US_ASCII))).isEqualTo(vector);
  }

  private static HashSecret secret(SplittableRandom random) {
    return HashSecret.parse(String.format("%016x%016x", random.nextLong(), random.nextLong()));
  }

  /** The paper's text turned into code, one step after the other. */
  private static long paper(HashSecret secret, byte[] message, int c, int d) {
    long[] v = {
      secret.low() ^ 0x736f6d6570736575L,
      secret.high() ^ 0x646f72616e646f6dL,
      secret.low() ^ 0x6c7967656e657261L,
      secret.high() ^ 0x7465646279746573L
    };
    ByteBuffer padded =
        ByteBuffer.allocate(message.length / 8 * 8 + 8).order(ByteOrder.LITTLE_ENDIAN);
    padded.put(message).put(padded.capacity() - 1, (byte) message.length).rewind();
    while (padded.hasRemaining()) {
      long m = padded.getLong();
      v[3] ^= m;
      sipRounds(v, c);
      v[0] ^= m;
    }
    v[2] ^= 0xff;
    sipRounds(v, d);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
  }

  private static void sipRounds(long[] v, int rounds) {
    for (int i = 0; i < rounds; i++) {
      halfRound(v, 0, 1, 2, 3, 13, 16);
      halfRound(v, 2, 1, 0, 3, 17, 21);
    }
  }

  private static void halfRound(long[] v, int a, int b, int c, int d, int s, int t) {
    v[a] += v[b];
    v[c] += v[d];
    v[b] = Long.rotateLeft(v[b], s) ^ v[a];
    v[d] = Long.rotateLeft(v[d], t) ^ v[c];
    v[a] = Long.rotateLeft(v[a], 32);
  }
}
