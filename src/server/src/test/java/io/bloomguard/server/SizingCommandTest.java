package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SizingCommandTest {

  private static final JsonMapper JSON = JsonMapper.shared();

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String arguments) {
    return SizingCommand.run(
        arguments.split(" "),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  @Test
  void tellsEachLayoutInATable() {
    assertThat(run("sizing --insertions 1e10 --fpp 1e-4 --key-bytes 64")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("10,000,000,000 keys at a false-positive probability of 1.0E-4")
        .containsPattern("classic +19\\.17 +13 +22\\.32 GiB +45 +0\\.000100 +0\\.0208")
        .containsPattern("redis +24\\.89 +11 +28\\.98 GiB +58 ")
        .containsPattern("guava +19\\.17 +13 +22\\.32 GiB +2 ")
        .contains("The journal: 51 bytes an add in Redis, 12 on the heap; 224.12 KiB in Redis")
        .contains("An exact set of keys of 64 bytes: 596.05 GiB");
    assertThat(err.size()).isZero();
  }

  @Test
  void tellsWhatTheSizingCallAnswers() {
    assertThat(run("sizing --insertions 1e10 --fpp 1e-4 --json")).isZero();
    JsonNode told = JSON.readTree(out.toByteArray());
    assertThat(told)
        .isEqualTo(JSON.valueToTree(new SizingController().sizing("10000000000", "0.0001", null)));
    assertThat(told.at("/layouts/classic/partitions").asInt()).isEqualTo(45);
    assertThat(told.has("exact")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sizing                                        | --insertions is missing, but must be",
        "sizing --insertions 1000                      | --fpp is missing, but must be",
        "sizing --insertions many --fpp 0.1            | --insertions is 'many', but must be",
        "sizing --insertions 1.5 --fpp 0.1             | --insertions is '1.5', but must be",
        "sizing --insertions 0 --fpp 0.1               | is 0, but must be at least 1",
        "sizing --insertions 1000 --fpp 1              | is 1.0, but must be greater than 0",
        "sizing --insertions 1e18 --fpp 0.1            | but must have at least 1 and at most",
        "sizing --insertions 9 --fpp 0.1 --key-bytes x | --key-bytes is 'x', but must be",
        "sizing --insertions 9 --fpp 0.1 --key-bytes 0 | is 0 bytes, but must be at least 1",
        "sizing --insertions 9 --fpp 0.1 --gap         | '--gap'",
      })
  void namesTheValueAndTheRuleAndEndsWithTwo(String arguments, String why) {
    assertThat(run(arguments)).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(why).contains("Usage: sizing");
    assertThat(out.size()).isZero();
  }

  @Test
  void isMeantByItsNameAlone() {
    assertThat(SizingCommand.isMeant(new String[] {"sizing", "--json"})).isTrue();
    assertThat(SizingCommand.isMeant(new String[] {"--server.port=0", "sizing"})).isFalse();
    assertThat(SizingCommand.isMeant(new String[0])).isFalse();
  }

  /** Through the server's own main method, in a process of its own. */
  @Test
  void startsNoServer() throws Exception {
    Process process =
        new ProcessBuilder(
                Stream.concat(
                        Stream.of(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "-Xlog:class+load=info:stdout",
                            "-cp",
                            System.getProperty("java.class.path"),
                            BloomguardServer.class.getName()),
                        Stream.of("sizing", "--insertions", "1e10", "--fpp", "2"))
                    .toList())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<String> lines = process.inputReader().lines().toList();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(2);
    assertThat(lines)
        .anyMatch(line -> line.contains("picocli.CommandLine "))
        .noneMatch(line -> line.contains("org.springframework.context.support."));
  }
}
