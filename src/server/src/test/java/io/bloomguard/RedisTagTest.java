package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The profile {@code kin} runs every test that starts a Redis: those have the tag. */
class RedisTagTest {

  private static final Pattern STARTS =
      Pattern.compile("new EmbeddedRedis\\(|EmbeddedRedis\\.server\\(|new RedisCaches\\(");
  private static final Pattern TAGGED =
      Pattern.compile("@Tag\\(\"redis\"\\)|extends (Redis|Subject)TestBase\\b");

  @Test
  void everyTestThatStartsRedisHasTheTag() throws IOException {
    List<Path> starting =
        ModuleSources.files(ModuleSources.tests()).stream()
            .filter(file -> file.toString().matches(".*Test(Base)?\\.java"))
            .filter(file -> !file.endsWith("RedisTagTest.java"))
            .filter(file -> STARTS.matcher(text(file)).find())
            .toList();
    assertThat(starting)
        .hasSizeGreaterThan(20)
        .allSatisfy(file -> assertThat(text(file)).containsPattern(TAGGED));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
