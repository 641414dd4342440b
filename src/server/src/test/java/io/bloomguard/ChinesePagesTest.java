package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Chinese pages, each of which names the English pages that it speaks of, with a digest of
 * each: {@code <!-- of: docs/sizing.md 0123456789ab -->}.
 *
 * <p>A page whose English page has changed since is named. That skips its test, unless {@code
 * -Dchinese.required=true} makes it a failure, as CI does: the English text may change first. Once
 * the Chinese page says the same, {@code -Dchinese.renew=docs/zh/sizing.md} writes its digests (a
 * regular expression).
 */
class ChinesePagesTest {

  private static final Pattern SOURCES = Pattern.compile("^<!-- of: (.+) -->\n");
  private static final Pattern SOURCE = Pattern.compile("([\\w./-]+\\.md) ([0-9a-f]{12})");

  /** What a command measures and writes is no text that a page could be behind. */
  private static final Pattern WRITTEN = Pattern.compile("(?s)<!-- mvn .*?<!-- end -->");

  static List<Path> pages() throws IOException {
    try (Stream<Path> pages = Files.list(Path.of("docs/zh"))) {
      return Stream.concat(Stream.of(Path.of("README.zh-CN.md")), pages.sorted()).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void isAsNewAsTheEnglishPages(Path page) throws IOException {
    if (page.toString().matches(System.getProperty("chinese.renew", ""))) {
      renew(page);
    }
    List<String> newer = new ArrayList<>();
    for (MatchResult source : sources(page)) {
      if (!digest(Files.readString(Path.of(source.group(1)))).equals(source.group(2))) {
        newer.add(source.group(1));
      }
    }
    if (!Boolean.getBoolean("chinese.required")) {
      assumeTrue(newer.isEmpty(), page + " is older than " + newer);
    }
    assertThat(newer)
        .as("English pages that %s is older than; -Dchinese.renew=%s", page, page)
        .isEmpty();
  }

  @Test
  void whatACommandWritesDoesNotCount() {
    String table = "a <!-- mvn verify -->\n| %d |\n<!-- end -->\n";
    assertThat(digest(table.formatted(1)))
        .isEqualTo(digest(table.formatted(2)))
        .isNotEqualTo(digest("b " + table.formatted(1)));
  }

  private static List<MatchResult> sources(Path page) throws IOException {
    Matcher comment = SOURCES.matcher(Files.readString(page));
    assertThat(comment.find()).as("%s begins with <!-- of: PAGE DIGEST -->", page).isTrue();
    List<MatchResult> sources = SOURCE.matcher(comment.group(1)).results().toList();
    assertThat(sources).as("%s", page).isNotEmpty();
    return sources;
  }

  private static void renew(Path page) throws IOException {
    String text = Files.readString(page);
    for (MatchResult source : sources(page)) {
      String digest = digest(Files.readString(Path.of(source.group(1))));
      text = text.replace(source.group(), source.group(1) + " " + digest);
    }
    Files.writeString(page, text);
  }

  private static String digest(String english) {
    byte[] text = WRITTEN.matcher(english).replaceAll("").getBytes(StandardCharsets.UTF_8);
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text), 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
