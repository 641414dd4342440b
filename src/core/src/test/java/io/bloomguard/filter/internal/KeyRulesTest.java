package io.bloomguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.RandomKeys;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyRulesTest {

  private final KeyRules rules = new KeyRules(8);

  @ParameterizedTest
  @ValueSource(strings = {"a", "12345678", "a b~", "äöüß", "\u00a0", "語語ab", "😀😀", "\uffff"})
  void wellFormedKeysWithinTheLengthAreAccepted(String key) {
    assertThat(rules.accepts(key)).isTrue();
    rules.require(key);
  }

  @ParameterizedTest
  @ValueSource(strings = {"123456789", "äöüßä", "語語abc", "😀😀x"})
  void theLengthIsCountedInBytesOfUtf8(String key) {
    assertThat(rules.accepts(key)).isFalse();
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> rules.require(key))
        .withMessageContaining("8 bytes")
        .withMessageContaining(key.getBytes(StandardCharsets.UTF_8).length + " bytes")
        .withMessageNotContaining(key);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\u0000", "\n", "\u001f", "x\u007f", "\u0080", "\u0085", "\u009f"})
  void controlCharactersAreRefused(String key) {
    assertThat(rules.accepts(key)).isFalse();
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> rules.require(key))
        .withMessageContaining("control");
  }

  @Test
  void unpairedSurrogatesAreRefused() {
    for (String key : new String[] {"\ud83d", "\ude00", "a\ud83db", "\ude00\ud83d", "😀\ud83d"}) {
      assertThat(rules.accepts(key)).isFalse();
      assertThatExceptionOfType(InvalidKeyException.class)
          .isThrownBy(() -> rules.require(key))
          .withMessageContaining("surrogate");
    }
  }

  @Test
  void anEmptyKeyIsRefused() {
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> rules.require(""))
        .withMessageContaining("empty");
  }

  @Test
  void everyNumberIsShortEnoughWhereTheLongestIs() {
    for (int maxLength = 1; maxLength < 30; maxLength++) {
      KeyRules bounded = new KeyRules(maxLength);
      assertThat(bounded.acceptsEveryNumber())
          .isEqualTo(bounded.accepts(Long.toString(Long.MIN_VALUE)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 65_536})
  void theBoundsOfTheMaximumAreAllowed(int maxLength) {
    KeyRules bounded = new KeyRules(maxLength);
    assertThat(bounded.accepts("x".repeat(maxLength))).isTrue();
    assertThat(bounded.accepts("x".repeat(maxLength + 1))).isFalse();
  }

  @Test
  void theCountOfBytesIsThatOfTheEncoder() {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 2_000; i++) {
      String key = RandomKeys.text(random, 1 + random.nextInt(40)).replaceAll("\\p{Cc}", "x");
      int length = key.getBytes(StandardCharsets.UTF_8).length;
      assertThat(new KeyRules(length).accepts(key)).isTrue();
      assertThat(length == 1 || !new KeyRules(length - 1).accepts(key)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 65_537})
  void aMaximumOutOfBoundsIsRefusedWithValueAndRule(int maxLength) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KeyRules(maxLength))
        .withMessageContaining(Integer.toString(maxLength))
        .withMessageContaining("1 to 65536");
  }
}
