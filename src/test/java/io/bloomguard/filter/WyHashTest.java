package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WyHashTest {

  /** What hash4j 0.31.0 gives for the bytes 0, 1, … 127, 0, 1, … of that length, seed 0. */
  @ParameterizedTest
  @CsvSource({
    "0, 0409638ee2bde459",
    "1, fbe5af10e5f8bd85",
    "2, 1148f10677acd42a",
    "3, f971e76c35096d43",
    "4, ed0d4340e81b7c4d",
    "7, edc8493178d0861f",
    "8, b425a02f871eb75f",
    "9, 35cc57096bb37904",
    "15, 019e3b3c5b9e54d8",
    "16, ff5ae257316b07b5",
    "17, 7ed011944b0c00ad",
    "32, 129f13f84e73df6d",
    "33, 8387a9294a14a507",
    "47, 6c297a0e19ac67a7",
    "48, ce6cc055c4aa2354",
    "49, dd118c769fb13542",
    "63, 9b543c6d5e66a3f4",
    "64, ae9ac4f9962d6746",
    "96, 4acbe2a4e0e44872",
    "97, ad119c0496db2624",
    "128, 7e6647de704c914a",
    "200, 3fb439716d92f4c6"
  })
  void keepsTheVectorsOfAnIndependentProgram(int length, String expected) {
    byte[] message = new byte[length];
    for (int i = 0; i < length; i++) {
      message[i] = (byte) (i & 0x7f);
    }
    assertThat(WyHash.INSTANCE.hash(new String(message, StandardCharsets.US_ASCII)))
        .isEqualTo(Long.parseUnsignedLong(expected, 16));
  }

  @Test
  void textAndNumbersAreTheirBytes() {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 20_000; i++) {
      String key = RandomKeys.text(random, random.nextInt(70));
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      assertThat(WyHash.INSTANCE.hash(key))
          .isEqualTo(WyHash.INSTANCE.hash(Arrays.copyOf(bytes, bytes.length + 8), bytes.length));
      long number = random.nextLong() >> random.nextInt(64);
      assertThat(WyHash.INSTANCE.hash(number))
          .isEqualTo(WyHash.INSTANCE.hash(Long.toString(number)));
    }
  }

  @Test
  void itIsNamedAndHasNoSecret() {
    assertThat(WyHash.INSTANCE.algorithm()).isEqualTo("wyhash-final-4");
    assertThat(WyHash.INSTANCE.secretId()).isEmpty();
  }
}
