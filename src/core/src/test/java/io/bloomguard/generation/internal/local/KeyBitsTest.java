package io.bloomguard.generation.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.KeyExplanation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bits of a filter are a key's. */
class KeyBitsTest {

  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void theyAreThoseThatItsAddSets(int blockWords) {
    BlockedFilter filter = new BlockedFilter(Sizing.blocked(5_000, 0.01, blockWords), HASHER);
    for (int i = 0; i < 200; i++) {
      String key = "key" + i;
      BlockedFilter alone = new BlockedFilter(filter.shape(), HASHER);
      alone.add(key);
      filter.add(key);
      List<KeyExplanation.Bit> clear = KeyBits.of(new BlockedFilter(filter.shape(), HASHER), key);
      List<KeyExplanation.Bit> bits = KeyBits.of(filter, key);
      assertThat(bits).extracting(KeyExplanation.Bit::position).isSorted();
      assertThat(bits).extracting(KeyExplanation.Bit::set).containsOnly(true);
      assertThat(clear).extracting(KeyExplanation.Bit::set).containsOnly(false);
      assertThat(positions(clear)).isEqualTo(positions(bits)).isEqualTo(set(alone));
    }
    assertThat(KeyBits.of(filter, "absent"))
        .allSatisfy(
            bit ->
                assertThat(bit.set())
                    .isEqualTo(
                        (filter.word(bit.position() / 64) >>> bit.position() % 64 & 1) == 1));
  }

  private static Set<Long> positions(List<KeyExplanation.Bit> bits) {
    Set<Long> positions = new HashSet<>();
    bits.forEach(bit -> positions.add(bit.position()));
    return positions;
  }

  private static Set<Long> set(BlockedFilter filter) {
    Set<Long> positions = new HashSet<>();
    for (long bit = 0; bit < filter.shape().bits(); bit++) {
      if ((filter.word(bit / 64) >>> bit % 64 & 1) == 1) {
        positions.add(bit);
      }
    }
    return positions;
  }
}
