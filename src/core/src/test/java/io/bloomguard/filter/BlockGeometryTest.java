package io.bloomguard.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bloomguard.filter.internal.BlockGeometry;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockGeometryTest {

  private static final long HASH = 0x0123456789abcdefL;

  /** Positions are a persistent format: a change of these makes every stored image useless. */
  @ParameterizedTest
  @CsvSource({
    "1, 5, 1000, '4:400041820000000', '995:4400000800000840'",
    "1, 16, 1000, '4:410171860384005', '995:4c000b5c04900a40'",
    "2, 6, 1000, '4:4000001020000001,400000000200000', '995:8000000002000040,40000060000000'",
    "4, 7, 1000, '4:100000000000080,400000000000000,41020008000,0',"
        + " '995:800000000000,0,20000000080040,410800000000'",
    "8, 7, 1000, '4:0,200000,20000000,10000000000000,800000000,0,1,220000',"
        + " '995:0,0,1000000000000040,800,800000000000000,10,0,80080000000000'",
    "8, 16, 100000000,"
        + " '444444:0,200000,4000000020080000,10014000000000,30800000000,4000200000,4000001,220000',"
        + " '99555555:1000000000,800000000000000,1000008000800240,800,800004000080000,410,"
        + "2000000000000,80080000000000'"
  })
  void positionsAreAFormat(
      int blockWords, int hashes, long blocks, String image, String imageOfComplement) {
    BlockGeometry geometry = geometry(blockWords, hashes, blocks);
    assertThat(image(geometry, HASH)).isEqualTo(image);
    assertThat(image(geometry, ~HASH)).isEqualTo(imageOfComplement);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 5, 1000, 1, '883:81000800040008'",
    "1, 5, 1000, fedcba9876543210, '160:1820040000400'",
    "2, 6, 1000, 1, '883:2000000000420000,1000000800000008'",
    "2, 6, 1000, fedcba9876543210, '160:40000000,4000005003000'",
    "8, 16, 100000000, 1,"
        + " '88353951:4,0,280100800002000,8,0,402000000024040,40000000010,1000000000'",
    "8, 16, 100000000, fedcba9876543210, '16050727:40000000,800000400000,320010000080080,1010008,"
        + "10000000000000,0,20000,2000004000000000'"
  })
  void saltedPositionsAreAFormat(
      int blockWords, int hashes, long blocks, String salt, String image) {
    FilterShape shape = shape(blockWords, hashes, blocks);
    BlockGeometry geometry = new BlockGeometry(shape, Long.parseUnsignedLong(salt, 16));
    assertThat(image(geometry, HASH)).isEqualTo(image);
    long[] masks = new long[blockWords];
    geometry.imageMasks(HASH, masks);
    assertThat(image).endsWith(":" + words(masks));
  }

  @Test
  void aDrawnSaltIsNeverTheSameAndNeverNone() {
    assertThat(Stream.generate(BlockGeometry::drawSalt).limit(1000))
        .doesNotHaveDuplicates()
        .doesNotContain(0L);
  }

  @Test
  void partitionsAreAFormat() {
    assertThat(
            new int[] {
              partition(0, 16), partition(HASH, 16), partition(~HASH, 16), partition(-1, 1000)
            })
        .containsExactly(8, 2, 9, 428);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 1000, FilterShape.MAX_WORDS})
  void theBlockIsTheHighWordOfTheUnsignedProduct(long blocks) {
    BlockGeometry geometry = geometry(1, 1, blocks);
    SplittableRandom random = new SplittableRandom(42);
    for (long hash : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, random.nextLong()}) {
      BigInteger unsigned = new BigInteger(Long.toUnsignedString(hash));
      assertThat(geometry.blockIndex(hash))
          .isEqualTo(unsigned.multiply(BigInteger.valueOf(blocks)).shiftRight(64).longValueExact());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void positionsAreSpreadEvenlyOverTheBlockAndIndependentOfIt(int blockWords) {
    int bits = blockWords * 64;
    int keys = 4_000;
    BlockGeometry geometry = geometry(blockWords, 16, 1 << 20);
    SplittableRandom random = new SplittableRandom(42);
    long[] masks = new long[blockWords];
    int[] counts = new int[bits];
    for (int i = 0; i < keys; i++) {
      // The high bits are those of one small range of blocks: they must not show in the positions.
      geometry.masks(random.nextLong() >>> 12, masks);
      for (int bit = 0; bit < bits; bit++) {
        counts[bit] += (int) (masks[bit >>> 6] >>> bit & 1);
      }
    }
    double expected = keys * BlockedMath.hitProbability(bits, 16);
    double chiSquare =
        Arrays.stream(counts).mapToDouble(c -> (c - expected) * (c - expected) / expected).sum();
    assertThat(chiSquare).isLessThan(bits + 5 * Math.sqrt(2.0 * bits));
  }

  /** Also where that takes more draws than one pool has. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5, 7, 16})
  void aBlockOfOneWordHasDistinctPositions(int hashes) {
    BlockGeometry geometry = geometry(1, hashes, 1000);
    SplittableRandom random = new SplittableRandom(42);
    long[] mask = new long[1];
    for (int i = 0; i < 100_000; i++) {
      geometry.masks(random.nextLong(), mask);
      assertThat(Long.bitCount(mask[0])).isEqualTo(hashes);
    }
  }

  @Test
  void theKeysOfOnePartitionUseEveryBlockEvenly() {
    int partitions = 4;
    int blocks = 64;
    BlockGeometry geometry = geometry(8, 7, blocks);
    SplittableRandom random = new SplittableRandom(42);
    int[][] counts = new int[partitions][blocks];
    int keys = 256_000;
    for (int i = 0; i < keys; i++) {
      long hash = random.nextLong();
      counts[BlockGeometry.partition(hash, partitions)][(int) geometry.blockIndex(hash)]++;
    }
    double mean = (double) keys / partitions / blocks;
    for (int[] partition : counts) {
      assertThat(Arrays.stream(partition).boxed())
          .allSatisfy(
              c ->
                  assertThat((double) c)
                      .isBetween(mean - 6 * Math.sqrt(mean), mean + 6 * Math.sqrt(mean)));
    }
  }

  @Test
  void aLayoutWithoutBlocksIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BlockGeometry(Sizing.shape(Layout.GUAVA, 100, 0.01)))
        .withMessageContaining("GUAVA");
  }

  private static int partition(long hash, int partitions) {
    return BlockGeometry.partition(hash, partitions);
  }

  private static BlockGeometry geometry(int blockWords, int hashes, long blocks) {
    return new BlockGeometry(shape(blockWords, hashes, blocks));
  }

  private static FilterShape shape(int blockWords, int hashes, long blocks) {
    return new FilterShape(Layout.BLOCKED, 1, 0.5, blocks * blockWords * 64, blockWords, hashes);
  }

  private static String image(BlockGeometry geometry, long hash) {
    long[] masks = new long[geometry.blockWords()];
    Arrays.fill(masks, -1);
    geometry.masks(hash, masks);
    return geometry.blockIndex(hash) + ":" + words(masks);
  }

  private static String words(long[] masks) {
    return Arrays.stream(masks).mapToObj(Long::toHexString).collect(Collectors.joining(","));
  }
}
