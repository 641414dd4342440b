package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The version of the POM, wherever a file of the repository repeats it. */
class VersionTest {

  private static final Pattern POM =
      Pattern.compile("<artifactId>bloomguard-parent</artifactId>\\s+<version>([^<]+)</version>");

  @ParameterizedTest
  @CsvSource({
    "README.md, <version>([^<]+)</version>",
    "README.zh-CN.md, <version>([^<]+)</version>",
    "src/boot3/pom.xml, -3-starter</artifactId>\\s+<version>([^<]+)</version>",
    "docs/testing.md, <version>([^<]+)</version>",
    "docs/kotlin.md, <version>([^<]+)</version>",
    "src/kotlin/pom.xml,"
        + " bloomguard-(?:kotlin|spring-boot-starter)</artifactId>\\s+<version>([^<]+)</version>",
    "src/spark/pom.xml, -spark_2.13</artifactId>\\s+<version>([^<]+)</version>",
    "src/spark/README.md, bloomguard-spark_2.13-([0-9.]+)-job.jar",
    "Dockerfile, ARG VERSION=(.+)",
    "src/core/src/main/java/io/bloomguard/guard/internal/verify/Manual.java, VERSION ="
        + " \"([^\"]+)\"",
    "compose.yaml, image: bloomguard:(.+)",
    "helm/bloomguard/Chart.yaml, (?m)^version: (.+)",
    "helm/bloomguard/Chart.yaml, (?m)^appVersion: (.+)",
  })
  void itIsTheSame(String file, String pattern) throws IOException {
    Matcher repeated = Pattern.compile(pattern).matcher(Files.readString(Path.of(file)));
    assertThat(repeated.results().map(found -> found.group(1).strip()))
        .isNotEmpty()
        .containsOnly(version());
  }

  @Test
  void itHasASectionOfTheChangelog() throws IOException {
    assertThat(Files.readString(Path.of("CHANGELOG.md")))
        .containsPattern("(?m)^## \\[" + Pattern.quote(version()) + "] - \\d{4}-\\d{2}-\\d{2}$");
  }

  private static String version() throws IOException {
    Matcher pom = POM.matcher(Files.readString(Path.of("pom.xml")));
    assertThat(pom.find()).isTrue();
    return pom.group(1);
  }
}
