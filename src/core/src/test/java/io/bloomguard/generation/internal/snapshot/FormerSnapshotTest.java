package io.bloomguard.generation.internal.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockedFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FormerSnapshotTest {

  private static final HashSecret SECRET = HashSecret.parse("000102030405060708090a0b0c0d0e0f");
  private static final Instant WRITTEN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration DAY = Duration.ofDays(1);

  /** A file of version 0.9.0: filter "items" for 20 keys at 1e-6, with the numbers 0 to 19. */
  private static final String VECTOR =
      "424c4f4f4d534e320000019b76daa80000000000000000140000000000000014df47f3dd424c4f4f4d4752"
          + "44000000020000008c666f726d61743d323b63616e6f6e6963616c3d313b66696c7465723d6974656d"
          + "733b6c61796f75743d424c4f434b45443b6e3d32303b703d312e30452d363b6d3d313032343b626c6f"
          + "636b3d383b6b3d31363b686173683d736970686173682d312d333b7365637265743d35623432626461"
          + "303b706172746974696f6e733d313b706172746974696f6e3d30000000000000008021a30039022022"
          + "015400490a021180000004edda0e00300010128e4021000420d088008000608a489140a000c0490000"
          + "220400814004806614120041082408009084f00874001f1d82323180800d43a80309d6b31048089142"
          + "00ad5a8fb5658142b05100a8e0904c92f808010c250612216c12218a39618106ae86122c2128b180ec"
          + "b3c9424c4f4f4d46443100000003303a37685e8e6a";

  @TempDir private Path directory;

  static Stream<FilterShape> smallShapes() {
    return shapes(20, 0.01);
  }

  static Stream<FilterShape> largerShapes() {
    // More than one buffer, and not a whole number of them.
    return shapes(100_000, 0.001);
  }

  private static Stream<FilterShape> shapes(long n, double p) {
    return Stream.concat(
        Stream.of(1, 2, 4, 8).map(words -> Sizing.blocked(n, p, words)),
        Stream.of(Sizing.shape(Layout.COUNTING, n, p)));
  }

  @Test
  void whatWasWrittenByTheEarlierVersionIsReadWhole() throws IOException {
    byte[] form = HexFormat.of().parseHex(VECTOR);
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 20, 1e-6);

    SnapshotForm.Content content = read(form, "items", shape, SECRET);

    assertThat(LongStream.range(0, 20)).allMatch(content.bits()::mightContain);
    assertThat(content.bits().mightContain(20)).isFalse();
    assertThat(content.written()).isEqualTo(WRITTEN);
    assertThat(content.keysRead()).isEqualTo(20);
    assertThat(content.position()).isEqualTo("0:7");
    assertThat(content.outdated()).isTrue();
    BlockedFilter bits = (BlockedFilter) content.bits();
    assertThat(FormerFiles.form("items", bits, WRITTEN, 20, "0:7")).isEqualTo(form);
  }

  @ParameterizedTest
  @MethodSource({"smallShapes", "largerShapes"})
  void aFilterReadIsTheFilterWritten(FilterShape shape) throws IOException {
    BlockedFilter filter = filled(shape);
    byte[] form = write(filter);
    BlockedFilter read = (BlockedFilter) read(form, "products", shape, SECRET).bits();
    assertThat(write(read)).isEqualTo(form);
    assertThat(read.fillRatio()).isEqualTo(filter.fillRatio());
    assertThat(read.mightContain(0)).isTrue();
    assertThat(read.mightContain("语言")).isTrue();
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void everyFlippedByteIsRefused(FilterShape shape) throws IOException {
    byte[] form = write(filled(shape));
    for (int i = 0; i < form.length; i++) {
      for (int flip : new int[] {0x01, 0x80, 0xff}) {
        byte[] damaged = form.clone();
        damaged[i] ^= (byte) flip;
        assertRefused(damaged, shape, "");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("smallShapes")
  void everyTruncationIsRefused(FilterShape shape) throws IOException {
    byte[] form = write(filled(shape));
    for (int length = 0; length < form.length; length++) {
      assertRefused(Arrays.copyOf(form, length), shape, "");
    }
    assertRefused(Arrays.copyOf(form, form.length - 1), shape, "truncated");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 1_000})
  void bytesBehindItsEndAreRefused(int more) throws IOException {
    FilterShape shape = Sizing.blocked(20, 0.01, 8);
    byte[] form = write(filled(shape));
    assertRefused(Arrays.copyOf(form, form.length + more), shape, more < 8 ? "" : "behind its end");
    byte[] followed = FormerFiles.form("products", filled(shape), WRITTEN, 0, "0:7");
    assertRefused(Arrays.copyOf(followed, followed.length + more), shape, "behind its end");
  }

  @Test
  void theMessageSaysWhatDiffers() throws IOException {
    FilterShape shape = Sizing.blocked(20, 0.01, 8);
    byte[] form = write(filled(shape));
    byte[] foreign = form.clone();
    foreign[0] = 'X';
    assertRefused(foreign, shape, "magic number");
    byte[] newer = form.clone();
    newer[36 + 11] = 3;
    assertRefused(newer, shape, "version of its bits is wrong");
    byte[] bits = form.clone();
    bits[form.length - 5] ^= 1;
    assertRefused(bits, shape, "checksum");
    assertRefused(form, Sizing.blocked(21, 0.01, 8), "n is 20, expected 21");
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> read(form, "other", shape, SECRET))
        .withMessageContaining("filter is products, expected other");
  }

  @Test
  void aHashThatIsNotTheFingerprintsIsRefused() throws IOException {
    FilterShape shape = Sizing.blocked(20, 0.01, 8);
    byte[] form = write(filled(shape));
    HashSecret other = HashSecret.parse("f".repeat(32));
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> read(form, "products", shape, other))
        .withMessageContaining(other.id())
        .withMessageContaining(SECRET.id());
  }

  private void assertRefused(byte[] form, FilterShape shape, String what) {
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> read(form, "products", shape, SECRET))
        .withMessageContaining(what);
  }

  private SnapshotForm.Content read(
      byte[] form, String filter, FilterShape shape, HashSecret secret) throws IOException {
    Path file = Files.write(directory.resolve("products"), form);
    KeyHash hash = KeyHash.SIPHASH_1_3;
    return new BlockedSnapshot(filter, shape, hash, secret, KeyFolding.EXACT)
        .read(file, WRITTEN.plusSeconds(60), DAY);
  }

  private static BlockedFilter filled(FilterShape shape) {
    BlockedFilter filter = new BlockedFilter(shape, KeyHash.SIPHASH_1_3.hasher(SECRET));
    for (long key = 0; key < shape.expectedInsertions(); key++) {
      filter.add(key);
    }
    filter.add("语言");
    return filter;
  }

  private static byte[] write(BlockedFilter filter) throws IOException {
    return FormerFiles.form("products", filter, WRITTEN, 0, null);
  }
}
