package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashSecretTest {

  private static final String HEX = "000102030405060708090a0b0c0d0e0f";

  @Test
  void hexAndBase64OfTheSameBytesAreOneSecret() {
    HashSecret secret = HashSecret.parse(HEX);
    assertThat(HashSecret.parse("AAECAwQFBgcICQoLDA0ODw=="))
        .isEqualTo(secret)
        .hasSameHashCodeAs(secret);
    assertThat(HashSecret.parse("AAECAwQFBgcICQoLDA0ODw")).isEqualTo(secret);
    assertThat(HashSecret.parse(HEX.toUpperCase(Locale.ROOT))).isEqualTo(secret);
    assertThat(secret.toHex()).isEqualTo(HEX);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "secret-word",
        "000102030405060708090a0b0c0d0e",
        "000102030405060708090a0b0c0d0e0g",
        "AAECAwQFBgcICQoLDA0O",
        "000102030405060708090a0b0c0d0e0f00"
      })
  void anythingElseIsRefusedWithTheRuleAndWithoutTheText(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HashSecret.parse(text))
        .withMessageContaining("16 bytes")
        .withMessageContaining(text.length() + " characters")
        .satisfies(
            e ->
                assertThat(text.isEmpty() || !String.valueOf(e.getMessage()).contains(text))
                    .isTrue())
        .withNoCause();
  }

  @Test
  void neitherIdentifierNorTextRevealTheSecret() {
    HashSecret secret = HashSecret.parse(HEX);
    assertThat(secret.id()).matches("[0-9a-f]{8}").isNotEqualTo(HEX.substring(0, 8));
    assertThat(secret.toString()).contains(secret.id()).doesNotContain(HEX.substring(0, 8));
  }

  @Test
  void theIdentifierIsAFormat() {
    assertThat(HashSecret.parse(HEX).id()).isEqualTo("5b42bda0");
  }

  @Test
  void randomSecretsDiffer() {
    HashSecret secret = HashSecret.random();
    assertThat(HashSecret.random()).isNotEqualTo(secret);
    assertThat(HashSecret.parse(secret.toHex())).isEqualTo(secret);
  }
}
