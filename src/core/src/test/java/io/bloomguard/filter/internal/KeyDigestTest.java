package io.bloomguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.SipHash;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyDigestTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");

  private final KeyDigest digest = new KeyDigest(SECRET);

  @Test
  void theDigestIsAFormat() {
    assertThat(digest.hex("42")).isEqualTo("827982d2fa6e2056b3a64fe97b994f77");
    assertThat(digest.hex("語😀")).matches("[0-9a-f]{32}");
  }

  @Test
  void keysAndSecretsHaveDigestsOfTheirOwn() {
    assertThat(IntStream.range(0, 10_000).mapToObj(i -> digest.hex("k" + i)))
        .doesNotHaveDuplicates();
    assertThat(new KeyDigest(HashSecret.parse("f".repeat(32))).hex("42"))
        .isNotEqualTo(digest.hex("42"));
  }

  @Test
  void theDigestSaysNothingOfTheHash() {
    String hex = digest.hex("42");
    for (SipHash hash : new SipHash[] {SipHash.oneThree(SECRET), SipHash.twoFour(SECRET)}) {
      assertThat(hex).doesNotContain(String.format("%016x", hash.hash("42")));
    }
    assertThat(hex.substring(0, 16)).isNotEqualTo(hex.substring(16));
  }
}
