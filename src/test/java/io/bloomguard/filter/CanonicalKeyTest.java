package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.CharBuffer;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalKeyTest {

  private enum Colour {
    RED {
      @Override
      public String toString() {
        return "a body and a name of its own";
      }
    }
  }

  @Test
  void numbersOfEveryWidthAreOneKey() {
    assertThat(
            List.<Object>of(
                (byte) 42, (short) 42, 42, 42L, BigInteger.valueOf(42), new BigDecimal("42"), "42"))
        .extracting(CanonicalKey::of)
        .containsOnly("42");
    assertThat(CanonicalKey.of(Long.MIN_VALUE)).isEqualTo("-9223372036854775808");
    assertThat(CanonicalKey.of(BigInteger.TEN.pow(30))).isEqualTo("1" + "0".repeat(30));
  }

  @Test
  void textStandsForItself() {
    assertThat(CanonicalKey.of("Straße")).isEqualTo("Straße");
    assertThat(CanonicalKey.of(CharBuffer.wrap("ab"))).isEqualTo("ab");
    assertThat(CanonicalKey.of('x')).isEqualTo("x");
  }

  @Test
  void anEnumConstantIsItsNameAndAUuidIsLowerCase() {
    assertThat(CanonicalKey.of(Colour.RED)).isEqualTo("RED");
    assertThat(CanonicalKey.of(UUID.fromString("ABCDEF00-0000-4000-8000-00000000000F")))
        .isEqualTo("abcdef00-0000-4000-8000-00000000000f");
  }

  @ParameterizedTest
  @ValueSource(strings = {"42.0", "4.2", "4E+1", "1E3"})
  void aBigDecimalWithAScaleIsRefused(String number) {
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> CanonicalKey.of(new BigDecimal(number)))
        .withMessageContaining("scale");
  }

  @Test
  void otherTypesAreRefusedByTypeWithoutTheKey() {
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> CanonicalKey.of(Instant.parse("2001-02-03T04:05:06Z")))
        .withMessageContaining("java.time.Instant")
        .withMessageNotContaining("2001");
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> CanonicalKey.of(1.5))
        .withMessageContaining("java.lang.Double");
    assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> CanonicalKey.of(null));
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        byte.class,
        short.class,
        int.class,
        long.class,
        char.class,
        Byte.class,
        Short.class,
        Integer.class,
        Long.class,
        Character.class,
        BigInteger.class,
        BigDecimal.class,
        String.class,
        StringBuilder.class,
        UUID.class,
        Colour.class,
        Object.class,
        Number.class,
        CharSequence.class,
        Comparable.class,
        Serializable.class
      })
  void typesThatMayHaveACanonicalFormAreSupported(Class<?> type) {
    assertThat(CanonicalKey.supports(type)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        boolean.class,
        double.class,
        Float.class,
        Instant.class,
        List.class,
        int[].class,
        void.class
      })
  void typesWithoutACanonicalFormAreNotSupported(Class<?> type) {
    assertThat(CanonicalKey.supports(type)).isFalse();
  }
}
