package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Another program reports over HTTP that a key exists which the filter denied. */
@ExtendWith(OutputCaptureExtension.class)
class FoundReportTest {

  private static final String ITEMS = "/v1/filters/items/";
  private static final String DENIED = "{\"keys\":[\"known\",\"secret-key\"]}";

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "disarm, DISARMED, UNKNOWN, 1",
    "count, READY, ABSENT, 1",
    "ignore, READY, ABSENT, 0"
  })
  void whatAReportLeadsToIsTheFiltersSetting(
      String policy, String state, String answer, int wrong, CapturedOutput output)
      throws Exception {
    try (RunningServer server = server("bloomguard.filters.items.verify.reports=" + policy)) {
      assertThat(results(server)).containsExactly("POSSIBLY_PRESENT", "ABSENT");
      assertThat(json(server.post(ITEMS + "found", "{\"keys\":[\"known\"]}"), 200).toString())
          .isEqualTo("{\"wrong\":0}");
      assertThat(results(server)).containsExactly("POSSIBLY_PRESENT", "ABSENT");

      assertThat(json(server.post(ITEMS + "found", DENIED), 200).toString())
          .isEqualTo("{\"wrong\":" + wrong + "}");
      assertThat(results(server)).containsExactly("POSSIBLY_PRESENT", answer);
      assertThat(json(server.get("/actuator/bloomfilters/items"), 200).path("state").asString())
          .isEqualTo(state);
      assertThat(output)
          .contains("report of 2 found keys of filter 'items' by anonymous from 127.0.0.1: ")
          .doesNotContain("secret-key");
      if (state.equals("DISARMED")) {
        assertThat(output)
            .contains("a restart forgets it", "/blob/v")
            .contains("/docs/verification.md");
      }
    }
  }

  @Test
  void ofABlacklistAReportIsRefusedAndACheckTellsMembership() throws Exception {
    try (RunningServer server =
        server(
            "bloomguard.filters.items.reject=present",
            "bloomguard.filters.items.on-unknown=open")) {
      assertThat(results(server)).containsExactly("POSSIBLY_PRESENT", "ABSENT");
      assertThat(problem(server.post(ITEMS + "found", DENIED), 409)).contains("blacklist");
      var filter = json(server.get("/actuator/bloomfilters/items"), 200);
      assertThat(filter.path("reject").asString()).isEqualTo("present");
      assertThat(filter.path("state").asString()).isEqualTo("READY");
      assertThat(filter.path("outcomes").path("rejected").asInt()).isOne();
    }
  }

  @Test
  void aReportIsJudgedAsABatchIs() throws Exception {
    try (RunningServer server = server("bloomguard.keys.max-length=64")) {
      problem(server.post("/v1/filters/nope/found", DENIED), 404);
      assertThat(problem(server.post(ITEMS + "found", "{\"keys\":[1,\"\"]}"), 400))
          .contains("index 1");
      assertThat(problem(server.post(ITEMS + "found?key=a", DENIED), 400))
          .contains("Query parameters");
      String keys = "1,".repeat(KeyBatch.MAX_KEYS) + "1";
      problem(server.post(ITEMS + "found", "{\"keys\":[" + keys + "]}"), 413);
      assertThat(results(server)).containsExactly("POSSIBLY_PRESENT", "ABSENT");
    }
  }

  private RunningServer server(String... properties) throws Exception {
    Path file = Files.write(folder.resolve("keys.txt"), List.of("known", "other"));
    String[] all = new String[properties.length + 2];
    all[0] = "bloomguard.filters.items.source.file.path=" + file;
    all[1] = "bloomguard.filters.items.warm-up.mode=blocking";
    System.arraycopy(properties, 0, all, 2, properties.length);
    return new RunningServer(all);
  }

  private static List<String> results(RunningServer server) throws Exception {
    return json(server.post(ITEMS + "check", DENIED), 200)
        .path("results")
        .valueStream()
        .map(result -> result.asString())
        .toList();
  }
}
