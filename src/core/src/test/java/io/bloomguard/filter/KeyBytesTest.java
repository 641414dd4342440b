package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyBytesTest {

  private static final SipHash SIP = SipHash.twoFour(HashSecret.parse("0".repeat(32)));

  private final SplittableRandom random = new SplittableRandom(42);

  @Test
  void theBytesOfATextAreThoseOfItsEncoder() {
    for (int i = 0; i < 20_000; i++) {
      assertBytes(RandomKeys.text(random, random.nextInt(200)));
    }
  }

  @Test
  void unpairedSurrogatesAreQuestionMarksAsInTheEncoder() {
    for (String key :
        new String[] {"\ud83d", "a\ud83db", "\ude00x", "\ud83d\ud83d\ude00", "é\ude00"}) {
      assertBytes(key);
    }
  }

  /** About the size of the buffer, for characters of one and of three bytes. */
  @ParameterizedTest
  @ValueSource(ints = {169, 170, 171, 511, 512, 513, 4000})
  void aLongKeyIsTheSameKeyWhereverItsBytesLie(int length) {
    assertBytes("a".repeat(length));
    assertBytes("語".repeat(length));
    assertBytes("a".repeat(length - 1) + "é");
    byte[] bytes = ("語".repeat(length)).getBytes(StandardCharsets.UTF_8);
    SipHash hash = SipHash.oneThree(HashSecret.parse("0".repeat(32)));
    assertThat(hash.hash("語".repeat(length))).isEqualTo(hash.hash(bytes));
  }

  /** Every length of a key that travels in words and of the first that do not. */
  @Test
  void aKeyInWordsIsTheSameKeyInBytes() {
    for (int i = 0; i < 20_000; i++) {
      String key = RandomKeys.text(random, random.nextInt(70));
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      assertThat(SIP.hash(key)).isEqualTo(SIP.hash(bytes));
    }
  }

  @Test
  void numbersAreTheirDecimalText() {
    for (long power = 1, i = 0; i < 19; power *= 10, i++) {
      for (long key : new long[] {power - 1, power, power + 1, -power, 5 * power, 9 * power}) {
        assertNumber(key);
      }
    }
    for (int i = 0; i < 200_000; i++) {
      assertNumber(random.nextLong() >> random.nextInt(64));
    }
    for (long key = 0; key < 100_000; key++) {
      assertNumber(key);
    }
  }

  private static void assertNumber(long key) {
    assertThat(SIP.hash(key)).isEqualTo(SIP.hash(Long.toString(key)));
  }

  private static void assertBytes(String key) {
    byte[] expected = key.getBytes(StandardCharsets.UTF_8);
    byte[] copy = KeyBytes.copyOf(key);
    assertThat(Arrays.copyOf(copy, copy.length - KeyBytes.ROOM)).isEqualTo(expected);
    byte[] buffer = KeyBytes.buffer();
    int length = KeyBytes.put(key, buffer);
    if (length >= 0) {
      assertThat(Arrays.copyOf(buffer, length)).isEqualTo(expected);
    } else {
      assertThat(key.length()).isGreaterThan(170);
    }
  }
}
