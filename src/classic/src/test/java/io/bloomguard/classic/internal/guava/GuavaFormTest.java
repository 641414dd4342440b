package io.bloomguard.classic.internal.guava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyFunnel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that Guava wrote, with each funnel and strategy. */
class GuavaFormTest {

  private static final long MUCH = 1 << 20;

  /** Of another n and p than the files have. */
  private static final FilterShape CONFIGURED = Sizing.shape(Layout.GUAVA, 5_000, 0.02);

  private static Stream<Arguments> files() {
    return Stream.of(KeyFunnel.values())
        .flatMap(funnel -> Stream.of(Arguments.of(funnel, 32), Arguments.of(funnel, 64)));
  }

  @ParameterizedTest
  @MethodSource("files")
  void findsEveryKeyWithTheFunnelThatFilledIt(KeyFunnel funnel, int bits) throws Exception {
    byte[] form = GuavaGoldenFiles.golden(funnel, bits);
    GuavaFilter filter = read(form, funnel);

    assertThat(GuavaGoldenFiles.keys(funnel)).allMatch(filter::mightContain);
    assertThat(filter.shape().bits()).isEqualTo((form.length - 6) * 8L);
    assertThat(filter.shape().hashes()).isEqualTo(10);
    assertThat(filter.shape().expectedInsertions()).isEqualTo(5_000);
    assertThat(filter.estimatedElements()).isBetween(190L, 210L);
    assertThat(written(filter)).isEqualTo(form);
  }

  @ParameterizedTest
  @MethodSource("files")
  void isWhatGuavaWritesToday(KeyFunnel funnel, int bits) throws Exception {
    assertThat(GuavaGoldenFiles.golden(funnel, bits))
        .isEqualTo(GuavaGoldenFiles.made(funnel, bits));
  }

  /** Also by the hashes that a journal keeps, in either strategy. */
  @ParameterizedTest
  @MethodSource("files")
  void putsWhatGuavaPuts(KeyFunnel funnel, int bits) throws Exception {
    byte[] form = GuavaGoldenFiles.golden(funnel, bits);
    List<String> keys = GuavaGoldenFiles.keys(funnel);
    for (boolean byHash : List.of(false, true)) {
      byte[] empty = Arrays.copyOf(Arrays.copyOf(form, 6), form.length);
      GuavaFilter filter = read(empty, funnel);
      long[] hash = new long[2];
      for (String key : keys) {
        if (byHash) {
          filter.hash(key, hash);
          filter.addHash(hash, 0);
        } else {
          filter.add(key);
        }
      }
      assertThat(written(filter)).isEqualTo(form);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "STRING_UTF8, STRING_UTF16",
    "STRING_UTF16, STRING_UTF8",
    "LONG, STRING_UTF8",
    "INT, LONG",
    "INT, STRING_UTF16"
  })
  void findsNoKeyWithAnotherFunnel(KeyFunnel filled, KeyFunnel asked) throws Exception {
    GuavaFilter filter = read(GuavaGoldenFiles.golden(filled, 64), asked);
    long found = GuavaGoldenFiles.keys(filled).stream().filter(filter::mightContain).count();
    assertThat(found).isLessThan(5);
  }

  @Test
  void takesNumbersAsTheirDecimalForm() throws Exception {
    GuavaFilter longs = read(GuavaGoldenFiles.golden(KeyFunnel.LONG, 64), KeyFunnel.LONG);
    assertThat(longs.mightContain(Long.MIN_VALUE)).isTrue();
    assertThat(longs.mightContain(42)).isFalse();
    longs.add(42);
    assertThat(longs.mightContain("42")).isTrue();
    GuavaFilter ints = read(GuavaGoldenFiles.golden(KeyFunnel.INT, 64), KeyFunnel.INT);
    assertThat(ints.mightContain((long) Integer.MIN_VALUE)).isTrue();
    assertThatExceptionOfType(InvalidKeyException.class)
        .isThrownBy(() -> ints.mightContain(1L << 31))
        .withMessageContaining("32 bits");
  }

  @Test
  void refusesWhatIsNoFilterOfGuavas() throws Exception {
    byte[] form = GuavaGoldenFiles.golden(KeyFunnel.LONG, 64);
    assertRefused(new byte[0], "truncated in its header");
    assertRefused(Arrays.copyOf(form, 5), "truncated in its header");
    assertRefused(Arrays.copyOf(form, form.length - 1), "it is truncated");
    assertRefused(Arrays.copyOf(form, form.length + 1), "expected " + form.length);
    assertRefused(with(form, 0, 2), "strategy of Guava's serial form is 2");
    assertRefused(with(form, 0, 'B'), "strategy of Guava's serial form is 66");
    assertRefused(with(form, 1, 0), "has 0 hashes");
    ByteBuffer none = ByteBuffer.wrap(form.clone());
    none.putInt(2, 0);
    assertRefused(none.array(), "and 0 words");
    none.putInt(2, -1);
    assertRefused(none.array(), "and -1 words");
  }

  /** A header that tells of 16 GB takes none of them. */
  @Test
  void takesNoMemoryForWhatTheFileDoesNotHave() {
    ByteBuffer header = ByteBuffer.allocate(6).put((byte) 1).put((byte) 7).putInt(2_000_000_000);
    assertRefused(header.array(), "it is truncated");
  }

  @Test
  void readsNothingOfAFileThatIsTooLarge() throws Exception {
    byte[] form = GuavaGoldenFiles.golden(KeyFunnel.LONG, 64);
    InputStream in = new ByteArrayInputStream(form);
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(
            () ->
                GuavaFilter.readWhole(
                    in, form.length, 100, CONFIGURED, KeyFolding.EXACT, KeyFunnel.LONG))
        .withMessageContaining("more than the 100 that may be read");
    assertThat(in.available()).isEqualTo(form.length - 6);
  }

  private static GuavaFilter read(byte[] form, KeyFunnel funnel) throws IOException {
    return GuavaFilter.readWhole(
        new ByteArrayInputStream(form), form.length, MUCH, CONFIGURED, KeyFolding.EXACT, funnel);
  }

  private static byte[] written(GuavaFilter filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeBits(out);
    return out.toByteArray();
  }

  private static byte[] with(byte[] form, int at, int value) {
    byte[] changed = form.clone();
    changed[at] = (byte) value;
    return changed;
  }

  private static void assertRefused(byte[] form, String why) {
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> read(form, KeyFunnel.LONG))
        .withMessageContaining(why);
  }
}
