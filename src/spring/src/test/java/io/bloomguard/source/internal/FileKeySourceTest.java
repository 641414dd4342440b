package io.bloomguard.source.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.generation.KeySourceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileKeySourceTest {

  @TempDir private Path directory;

  @Test
  void everyLineIsAKey() throws IOException {
    assertThat(keys("apt\nlibc6\nété-😀\n")).containsExactly("apt", "libc6", "été-😀");
  }

  @Test
  void theLastLineNeedsNoLineFeed() throws IOException {
    assertThat(keys("a\nb")).containsExactly("a", "b");
  }

  @Test
  void carriageReturnsBlankLinesAndTheByteOrderMarkAreNoPartOfAKey() throws IOException {
    assertThat(keys("\uFEFFa\r\n\r\n   \n\nb b\r\n")).containsExactly("a", "b b");
  }

  @Test
  void aLineLongerThanTheFirstBufferIsRead() throws IOException {
    String longKey = "k".repeat(5_000);
    assertThat(keys(longKey + "\nb\n")).containsExactly(longKey, "b");
  }

  /** Lines of all lengths, so that they end everywhere in the buffer, and of every width. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void linesAreWhatTheyAreWhereverTheBufferEnds(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> lines = new ArrayList<>();
    StringBuilder content = new StringBuilder();
    for (int i = 0; i < 2_000; i++) {
      String key = "k" + i + random.nextInt(9) + "é€😀".repeat(random.nextInt(2));
      String line = key.repeat(1 + random.nextInt(i % 100 == 0 ? 20_000 : 40));
      lines.add(line);
      content.append(line).append(random.nextBoolean() ? "\r\n" : "\n");
    }
    assertThat(keys(content.toString())).isEqualTo(lines);
  }

  @Test
  void aReplacementCharacterOfTheFileItselfIsPartOfItsKey() throws IOException {
    assertThat(keys("a\uFFFDb\nc\n")).containsExactly("a\uFFFDb", "c");
  }

  @Test
  void aLineMayHaveAMebibyteAndNoByteMore() throws IOException {
    String longest = "x".repeat(1 << 20);
    assertThat(keys("a\n" + longest + "\nb\n")).containsExactly("a", longest, "b");
    for (String end : List.of("\nb\n", "\n", "")) {
      assertThatThrownBy(() -> keys("a\n" + longest + "x" + end))
          .isInstanceOf(KeySourceException.class)
          .hasMessageContaining("Line 2")
          .hasMessageContaining("longer than");
    }
  }

  @Test
  void anEmptyFileHasNoKeys() throws IOException {
    assertThat(keys("")).isEmpty();
  }

  @Test
  void whatIsNotUtf8IsAnErrorThatNamesTheLine() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write("good\nsecret-".getBytes(UTF_8));
    bytes.write(0xE9);
    bytes.write("\nafter\n".getBytes(UTF_8));
    Path file = Files.write(directory.resolve("latin1.txt"), bytes.toByteArray());

    assertThatThrownBy(() -> new FileKeySource(file).forEach(new RecordingSink()))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("Line 2")
        .hasMessageContaining("latin1.txt")
        .hasMessageContaining("UTF-8")
        .hasMessageNotContaining("secret");
  }

  @Test
  void aLineWithoutEndIsAnError() throws IOException {
    Path file = Files.writeString(directory.resolve("endless.txt"), "a\n" + "x".repeat(1_100_000));

    assertThatThrownBy(() -> new FileKeySource(file).forEach(new RecordingSink()))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining("Line 2")
        .hasMessageContaining("longer than");
  }

  @Test
  void aMissingFileIsAnErrorThatNamesThePath() {
    Path missing = directory.resolve("missing.txt");

    assertThatThrownBy(() -> new FileKeySource(missing).forEach(new RecordingSink()))
        .isInstanceOf(KeySourceException.class)
        .hasMessageContaining(missing.toString());
  }

  private List<@Nullable Object> keys(String content) throws IOException {
    Path file = Files.writeString(directory.resolve("keys.txt"), content);
    RecordingSink sink = new RecordingSink();
    new FileKeySource(file).forEach(sink);
    return sink.keys;
  }
}
