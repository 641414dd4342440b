package io.bloomguard.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobOptionsTest {

  @TempDir Path folder;
  private Path secret;

  @BeforeEach
  void write() throws Exception {
    secret = Files.writeString(folder.resolve("secret"), "000102030405060708090a0b0c0d0e0f\n");
  }

  private JobOptions parse(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--filter",
                "urls",
                "--insertions",
                "1e10",
                "--fpp",
                "1e-4",
                "--sql",
                "select url from lake.urls",
                "--as-of",
                "2025-06-01T00:00:00Z",
                "--lag",
                "10m",
                "--out",
                "s3a://bucket/urls",
                "--secret-file",
                secret.toString()));
    all.addAll(List.of(more));
    return JobOptions.parse(all.toArray(String[]::new));
  }

  @Test
  void tenBillionKeysAreFiftyEightPartitions() {
    JobOptions options = parse();

    assertThat(options.job().plan().partitions()).isEqualTo(58);
    assertThat(options.job().lag()).isEqualTo(Duration.ofMinutes(10));
    assertThat(options.job().plan().sliceBytes()).isEqualTo(64 << 20);
    assertThat(options.job().allowOverfull()).isFalse();
    assertThat(options.sql()).isEqualTo("select url from lake.urls");
  }

  @Test
  void everyOptionIsRead() {
    JobOptions options =
        parse(
            "--insertions",
            "1000000",
            "--backend",
            "local",
            "--hash",
            "siphash-2-4",
            "--case",
            "lower",
            "--slice-bytes",
            "1MB",
            "--max-unusable",
            "0.5",
            "--position",
            "0/16B3748",
            "--allow-overfull");

    assertThat(options.job().plan().partitions()).isOne();
    assertThat(options.job().plan().blockWords()).isEqualTo(8);
    assertThat(options.job().plan().folding()).contains("lower");
    assertThat(options.job().maxUnusable()).isEqualTo(0.5);
    assertThat(options.job().position()).isEqualTo("0/16B3748");
    assertThat(options.job().allowOverfull()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "--insertions, 1.5, --insertions is '1.5'",
    "--insertions, 0, expected insertions is 0",
    "--fpp, 2, false-positive probability is 2.0",
    "--as-of, yesterday, 2025-06-01T00:00:00Z",
    "--lag, 10, --lag is '10'",
    "--lag, -PT1S, must not be negative",
    "--slice-bytes, 100, multiple of 256",
    "--slice-bytes, 4GB, at most 1GB",
    "--backend, heap, redis or local",
    "--filter, My Urls, must match",
    "--hash, md5, siphash_1_3",
    "--colour, red, Unknown option: --colour",
    "--secret-file, /nowhere, cannot be read"
  })
  void aWrongValueIsNamedWithItsRule(String name, String value, String message) {
    assertThatThrownBy(() -> parse(name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void whatIsMissingIsListed() {
    assertThatThrownBy(() -> JobOptions.parse("--filter", "urls"))
        .hasMessageContaining(
            "Missing: --as-of, --fpp, --insertions, --lag, --out, --secret-file, --sql")
        .hasMessageContaining("spark-submit");
  }
}
