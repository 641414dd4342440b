package io.bloomguard.classic.internal.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class ClassicHashTest {

  @ParameterizedTest
  @MethodSource("io.bloomguard.classic.internal.hash.PhpVectors#all")
  void valuesAreThoseOfPhp(JsonNode vector) {
    byte[] key = PhpVectors.bytes(vector.get("key").stringValue());
    for (ClassicHash hash : ClassicHash.values()) {
      assertThat(hash.hash(key))
          .as(hash.name())
          .isEqualTo(vector.get(hash.name().toUpperCase(Locale.ROOT) + "Hash").longValue());
    }
  }

  @ParameterizedTest
  @MethodSource("io.bloomguard.classic.internal.hash.PhpVectors#all")
  void seededValuesAreThoseOfPhp(JsonNode vector) {
    byte[] key = PhpVectors.bytes(vector.get("key").stringValue());
    assertThat(IntStream.range(0, SeededBkdr.SEEDS).mapToLong(i -> SeededBkdr.hash(key, i)))
        .containsExactlyElementsOf(
            vector.get("seededBKDR").valueStream().map(JsonNode::longValue).toList());
    assertThat(StringChoice.crc32(key)).isEqualTo(vector.get("crc32").longValue());
  }

  @Test
  void plainBkdrTellsTwoThirdsOfThePackageNamesApart() {
    assertThat(PhpVectors.packageNames()).hasSize(31_841).doesNotHaveDuplicates();
    assertThat(
            PhpVectors.packageNames().stream()
                .map(PhpVectors::bytes)
                .mapToLong(ClassicHash.BKDR::hash)
                .distinct())
        .hasSize(21_199);
  }

  @Test
  void theLastSeedTellsOneInAThousandWordsApart() {
    assertThat(
            PhpVectors.words(1, 1_000_000)
                .mapToLong(word -> SeededBkdr.hash(word, SeededBkdr.SEEDS - 1))
                .distinct()
                .count())
        .isBetween(1_000L, 1_200L);
  }

  @ParameterizedTest
  @EnumSource
  void aHashIsFoundByItsName(ClassicHash hash) {
    assertThat(ClassicHash.named(hash.toString())).isSameAs(hash);
    assertThat(ClassicHash.names()).contains(hash.toString());
  }

  @Test
  void rsIsNoHashHere() {
    assertThat(ClassicHash.named("rs")).isNull();
    assertThat(ClassicHash.names()).isEqualTo("js, pjw, elf, bkdr, sdbm, djb, dek, fnv");
  }
}
