package io.bloomguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyFolding;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.CharBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
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

  /** Golden: the texts that SQL and programs in other languages write. */
  @Test
  void aKeyOfPartsIsItsEscapedPartsInTheirOrder() {
    UUID uuid = UUID.fromString("ABCDEF00-0000-4000-8000-00000000000F");
    assertThat(CanonicalKey.of(List.of("acme", 42L))).isEqualTo("acme:42");
    assertThat(CanonicalKey.of(List.of("a:b", "c"))).isEqualTo("a%3Ab:c");
    assertThat(CanonicalKey.of(List.of("a", "b:c"))).isEqualTo("a:b%3Ac");
    assertThat(CanonicalKey.of(List.of("50%", "%3A", "::"))).isEqualTo("50%25:%253A:%3A%3A");
    assertThat(CanonicalKey.of(List.of("", ""))).isEqualTo(":");
    assertThat(CanonicalKey.of(List.of(Colour.RED, uuid, "Straße")))
        .isEqualTo("RED:abcdef00-0000-4000-8000-00000000000f:Straße");
  }

  @Test
  void noTwoListsMeetUnderAnyFolding() {
    List<String> parts = List.of("", "a", ":", "%", "%3A", "%25", "a:", ":a", "a%3a", "%3");
    List<List<String>> lists = new ArrayList<>();
    for (String one : parts) {
      for (String two : parts) {
        lists.add(List.of(one, two));
        parts.forEach(three -> lists.add(List.of(one, two, three)));
      }
    }
    KeyFolding lower =
        new KeyFolding(KeyFolding.LetterCase.LOWER, KeyFolding.Trim.NONE, KeyFolding.Normalise.NFC);
    assertThat(lists).extracting(CanonicalKey::of).doesNotHaveDuplicates();
    assertThat(lists.stream().map(CanonicalKey::of).map(lower::fold)).doesNotHaveDuplicates();
  }

  @Test
  void aListThatIsNoKeyOfPartsIsRefused() {
    for (List<?> list :
        List.of(List.of(), List.of(1L), List.of(1L, List.of(2L, 3L)), Arrays.asList(1L, null))) {
      assertThatExceptionOfType(InvalidKeyException.class)
          .isThrownBy(() -> CanonicalKey.of(list))
          .withMessageContaining("must");
    }
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
