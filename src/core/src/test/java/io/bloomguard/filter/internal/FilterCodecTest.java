package io.bloomguard.filter.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FilterCodecTest {

  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));

  static Stream<FilterShape> smallShapes() {
    return MembershipFilterTest.inBlocks(20, 0.01);
  }

  static Stream<FilterShape> largerShapes() {
    // More than one buffer, and not a whole number of them.
    return MembershipFilterTest.inBlocks(100_000, 0.001);
  }

  @ParameterizedTest
  @MethodSource({"smallShapes", "largerShapes"})
  void aFilterReadIsTheFilterWritten(FilterShape shape) throws IOException {
    MembershipFilter filter = filled(shape);
    byte[] form = write(filter);
    InputStream in = new ByteArrayInputStream(Arrays.copyOf(form, form.length + 1));
    MembershipFilter read = FilterCodec.read(in, fingerprint(shape), HASHER);
    assertThat(in.available()).as("what follows the serial form").isEqualTo(1);
    assertThat(write(read)).isEqualTo(form);
    assertThat(read.fillRatio()).isEqualTo(filter.fillRatio());
    assertThat(read.mightContain(0)).isTrue();
    assertThat(read.mightContain("语言")).isTrue();
  }

  @Test
  void theSaltIsThatOfTheFilterWritten() throws IOException {
    FilterShape shape = Sizing.blocked(20, 0.01, 8);
    MembershipFilter salted = MembershipFilters.create(shape, HASHER, -7);
    salted.add("a");
    byte[] form = write(salted);
    MembershipFilter read =
        FilterCodec.read(new ByteArrayInputStream(form), fingerprint(shape), HASHER);
    assertThat(read.salt()).isEqualTo(-7);
    assertThat(read.mightContain("a")).isTrue();
    assertThat(write(read)).isEqualTo(form);
    assertRefused(form, Sizing.blocked(21, 0.01, 8), "n is 20, expected 21");
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
      assertRefused(Arrays.copyOf(form, length), shape, "truncated");
    }
  }

  /** The beginning of every snapshot that was written so far. */
  @Test
  void magicAndVersionStayAsTheyAre() throws IOException {
    assertThat(HexFormat.of().formatHex(write(filled(Sizing.blocked(20, 0.01, 8))), 0, 12))
        .isEqualTo("424c4f4f4d475244" + "00000002");
  }

  @Test
  void theMessageSaysWhatDiffers() throws IOException {
    FilterShape shape = Sizing.blocked(20, 0.01, 8);
    byte[] form = write(filled(shape));
    byte[] foreign = form.clone();
    foreign[0] = 'X';
    assertRefused(foreign, shape, "magic number");
    byte[] newer = form.clone();
    newer[11] = 3;
    assertRefused(newer, shape, "format version is 3, expected 2");
    byte[] bits = form.clone();
    bits[form.length - 5] ^= 1;
    assertRefused(bits, shape, "checksum");
    assertRefused(form, Sizing.blocked(21, 0.01, 8), "n is 20, expected 21");
    Fingerprint other =
        new Fingerprint("other", shape, "siphash-1-3", HASHER.secretId(), 1, 0, KeyFolding.EXACT);
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> FilterCodec.read(new ByteArrayInputStream(form), other, HASHER))
        .withMessageContaining("filter is products, expected other");
  }

  @Test
  void aHashThatIsNotTheFingerprintsIsRefused() throws IOException {
    FilterShape shape = Sizing.blocked(20, 0.01, 8);
    byte[] form = write(filled(shape));
    KeyHasher other = SipHash.oneThree(HashSecret.parse("f".repeat(32)));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> FilterCodec.read(new ByteArrayInputStream(form), fingerprint(shape), other))
        .withMessageContaining(other.secretId())
        .withMessageContaining(HASHER.secretId());
  }

  @Test
  void aFingerprintOfAnotherShapeIsNotWritten() {
    MembershipFilter filter = filled(Sizing.blocked(20, 0.01, 8));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                FilterCodec.write(
                    filter, fingerprint(Sizing.blocked(20, 0.01, 4)), new ByteArrayOutputStream()));
  }

  private static void assertRefused(byte[] form, FilterShape shape, String what) {
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(
            () -> FilterCodec.read(new ByteArrayInputStream(form), fingerprint(shape), HASHER))
        .withMessageContaining(what);
  }

  private static MembershipFilter filled(FilterShape shape) {
    MembershipFilter filter = MembershipFilters.create(shape, HASHER);
    for (long key = 0; key < shape.expectedInsertions(); key++) {
      filter.add(key);
    }
    filter.add("语言");
    return filter;
  }

  private static byte[] write(MembershipFilter filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FilterCodec.write(filter, fingerprint(filter.shape()), out);
    return out.toByteArray();
  }

  private static Fingerprint fingerprint(FilterShape shape) {
    return Fingerprint.of("products", shape, HASHER, 1, 0);
  }
}
