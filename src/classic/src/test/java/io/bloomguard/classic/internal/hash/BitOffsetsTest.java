package io.bloomguard.classic.internal.hash;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.bloomguard.filter.TestForm;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class BitOffsetsTest {

  @Test
  void offsetsAreHashesModuloTheBits() {
    long[] offsets = new long[4];
    byte[] key = PhpVectors.bytes("product:42");
    BitOffsets.of(4_294_967_296L, List.of(ClassicHash.BKDR, ClassicHash.SDBM, ClassicHash.JS))
        .write(key, offsets, 1);
    assertThat(offsets).containsExactly(0, 2_234_076_242L, 1_977_320_434L, 1_901_406_803L);
    BitOffsets.of(1000, List.of(ClassicHash.BKDR, ClassicHash.SDBM)).write(key, offsets, 0);
    assertThat(offsets).startsWith(242, 434);
    BitOffsets.seeded(50_000_000_000L, 2).write(key, offsets, 2);
    assertThat(offsets).endsWith(1_752_971_497, 2_136_552_577);
  }

  @Test
  void seedsAreOneToSixteen() {
    assertThat(BitOffsets.seeded(10, 16).count()).isEqualTo(16);
    assertThatIllegalArgumentException().isThrownBy(() -> BitOffsets.seeded(10, 17));
    assertThatIllegalArgumentException().isThrownBy(() -> BitOffsets.seeded(10, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> BitOffsets.seeded(0, 1));
  }

  @Test
  void seededHashesReachHalfOfALongestString() {
    BitOffsets offsets = BitOffsets.seeded(StringChoice.MOST_BITS, 16);
    assertThat(offsets.reachable()).isEqualTo(StringChoice.MOST_BITS / 2);
    long[] of = new long[16];
    long highest =
        PhpVectors.words(2, 100_000)
            .flatMapToLong(
                word -> {
                  offsets.write(word, of, 0);
                  return LongStream.of(of.clone());
                })
            .max()
            .orElse(0);
    assertThat(highest).isLessThan(offsets.reachable()).isGreaterThan(2_147_000_000L);
    assertThat(BitOffsets.of(1L << 32, List.of(ClassicHash.JS)).reachable()).isEqualTo(1L << 32);
    assertThat(BitOffsets.of(1000, List.of(ClassicHash.JS)).reachable()).isEqualTo(1000);
  }

  @Test
  void partitionsAreThoseOfTheFormula() {
    assertThat(StringChoice.of(50_000_000_000L, 1)).isEqualTo(new StringChoice(1, 12));
    assertThat(StringChoice.of(50_000_000_000L, 2)).isEqualTo(new StringChoice(2, 6));
    assertThat(StringChoice.of(StringChoice.MOST_BITS, 3)).isEqualTo(new StringChoice(3, 1));
    assertThat(StringChoice.of(StringChoice.MOST_BITS + 1, 1)).isEqualTo(new StringChoice(1, 2));
    assertThat(StringChoice.of(StringChoice.MOST_BITS + 1, 3)).isEqualTo(new StringChoice(3, 1));
  }

  @Test
  void twoServersWithSixPartitionsUseSixOfTwelveStrings() {
    StringChoice choice = StringChoice.of(50_000_000_000L, 2);
    BitSet seen = new BitSet();
    PhpVectors.packageNames().stream()
        .map(PhpVectors::bytes)
        .mapToLong(StringChoice::crc32)
        .forEach(crc -> seen.set(choice.server(crc) * 6 + choice.partition(crc)));
    assertThat(choice.used()).isEqualTo(6).isEqualTo(seen.cardinality());
    for (int string = 0; string < 12; string++) {
      assertThat(choice.isUsed(string / 6, string % 6)).isEqualTo(seen.get(string));
    }
    assertThat(StringChoice.of(50_000_000_000L, 1).used()).isEqualTo(12);
    assertThat(new StringChoice(3, 4).used()).isEqualTo(12);
  }

  /** The formula of a filter without blocks says 6.7e-5 for 20 bits a key and 14 of them. */
  @Test
  @Tag("thorough")
  void seedsThatDegenerateMakeFourTimesAsManyFalsePositives() {
    int words = TestForm.of(300_000, 1_000_000);
    int bits = 20 * words;
    BitOffsets offsets = BitOffsets.seeded(bits, 14);
    BitSet string = new BitSet(bits);
    long[] of = new long[14];
    Set<String> added = new HashSet<>();
    PhpVectors.words(3, words)
        .forEach(
            word -> {
              added.add(new String(word, US_ASCII));
              offsets.write(word, of, 0);
              for (long offset : of) {
                string.set((int) offset);
              }
            });
    long[] asked = new long[2];
    PhpVectors.words(4, words)
        .forEach(
            word -> {
              if (added.contains(new String(word, US_ASCII))) {
                return;
              }
              asked[0]++;
              offsets.write(word, of, 0);
              for (long offset : of) {
                if (!string.get((int) offset)) {
                  return;
                }
              }
              asked[1]++;
            });
    double rate = (double) asked[1] / asked[0];
    assertThat(rate).isCloseTo(3.0e-4, within(0.6e-4));
  }
}
