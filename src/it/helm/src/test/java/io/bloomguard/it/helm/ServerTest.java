package io.bloomguard.it.helm;

import static io.bloomguard.it.helm.Manifests.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.bloomguard.it.support.Program;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The server without a password under what the chart gives it: variables, configuration, probes,
 * test.
 */
class ServerTest {

  @TempDir static Path directory;

  private static ChartServer server;

  @BeforeAll
  static void start() throws IOException {
    Path keys = Files.writeString(directory.resolve("keys.txt"), "de\nfr\n");
    Manifests manifests =
        Chart.render(
            """
            filters:
              countries:
                expected-insertions: 1000000
                source: {file: {path: "%s"}}
            gateway: {rules: [{pattern: "/countries/{code}", filter: countries, key: code}]}
            jvmOptions: -Xmx512m
            auth: {enabled: false}
            readiness: {includeFilters: true}
            """
                .formatted(keys));
    server = new ChartServer(manifests, directory, Map.of());
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void itsProbesAnswerOnThePortForCallers() throws Exception {
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      HttpResponse<String> answer = server.probe(probe);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("{\"status\":\"UP\"}");
    }
  }

  @Test
  void itHasTheFilterOfTheValues() throws Exception {
    HttpResponse<String> answer = get(server.managementPort(), "/actuator/bloomfilters");

    assertThat(answer.body())
        .startsWith("{\"filters\":{\"countries\":{")
        .contains("\"expectedInsertions\":1000000");
  }

  @Test
  void itDecidesForProxiesByTheRulesOfTheValues() throws Exception {
    assertThat(get(server.port(), "/v1/authorise/countries/fr").statusCode()).isEqualTo(204);
    assertThat(get(server.port(), "/v1/authorise/countries/xx").statusCode()).isEqualTo(404);
  }

  @Test
  void itsBillOfMaterialsHasEveryLibraryInIt() throws Exception {
    assumeFalse(
        "offline=true".equals(System.getProperty("it.mode")), "offline there is none in the jar");

    JsonObject bill =
        JsonParser.parseString(get(server.managementPort(), "/actuator/sbom/application").body())
            .getAsJsonObject();

    assertThat(text(bill, "bomFormat")).isEqualTo("CycloneDX");
    assertThat(
            Manifests.objects(bill.getAsJsonArray("components"))
                .map(each -> text(each, "name") + "-" + text(each, "version") + ".jar"))
        .containsAll(libraries());
  }

  @Test
  void itIsScrapedWhereTheMonitorsSay() throws Exception {
    Manifests monitored = Chart.render("monitoring: {scrape: podMonitor}");
    JsonObject endpoint =
        object(monitored.one("PodMonitor"), "spec")
            .getAsJsonArray("podMetricsEndpoints")
            .get(0)
            .getAsJsonObject();

    assertThat(get(server.managementPort(), text(endpoint, "path")).body())
        .contains("bloomguard_filter_fill_ratio{filter=\"countries\"}");
    assertThat(get(server.port(), text(endpoint, "path")).statusCode()).isEqualTo(404);
  }

  @Test
  void theChartsTestSeesThatItAnswersAndThatItsActuatorDoesNot() throws Exception {
    assumeTrue(Program.find("wget").isPresent(), "wget is not installed");

    assertThat(server.chartsTest(1)).contains("\"status\":\"UP\"", "HTTP/1.1 200", "RESULT 0");
    assertThat(server.chartsTest(server.managementPort()))
        .contains("answers, but must not", "RESULT 1");
  }

  /** All but the one that takes the jar apart, which packaging adds. */
  private static List<String> libraries() throws IOException {
    try (JarFile jar = new JarFile(System.getProperty("it.server-jar"))) {
      List<String> libraries =
          jar.stream()
              .map(ZipEntry::getName)
              .filter(name -> name.matches("BOOT-INF/lib/.*\\.jar"))
              .map(name -> name.substring(name.lastIndexOf('/') + 1))
              .filter(name -> !name.startsWith("spring-boot-jarmode-tools-"))
              .toList();
      assertThat(libraries).isNotEmpty();
      return libraries;
    }
  }

  private static HttpResponse<String> get(int port, String path) throws Exception {
    return server.get(port, path);
  }

  private static String text(JsonObject object, String name) {
    return object.get(name).getAsString();
  }
}
