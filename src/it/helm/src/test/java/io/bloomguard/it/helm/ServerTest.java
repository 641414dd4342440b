package io.bloomguard.it.helm;

import static io.bloomguard.it.helm.Manifests.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server itself under what the chart gives it: variables, configuration, probes, test. */
class ServerTest {

  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
  private static final Pattern READY = Pattern.compile("Look at http://localhost:(\\d+)/");

  @TempDir static Path directory;

  private static Manifests manifests;
  private static Process server;
  private static int port;
  private static int managementPort;

  @BeforeAll
  static void start() throws IOException {
    Path keys = Files.writeString(directory.resolve("keys.txt"), "de\nfr\n");
    manifests =
        Chart.render(
            """
            filters:
              countries:
                expected-insertions: 1000000
                source: {file: {path: "%s"}}
            jvmOptions: -Xmx512m
            readiness: {includeFilters: true}
            """
                .formatted(keys));
    Files.writeString(directory.resolve("application.yml"), manifests.applicationYml());
    Path log = directory.resolve("server.log");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                System.getProperty("it.server-jar"),
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--management.server.port=0",
                "--management.server.address=127.0.0.1")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    Manifests.objects(manifests.container().getAsJsonArray("env"))
        .forEach(each -> builder.environment().put(text(each, "name"), text(each, "value")));
    // The mount's path, which is elsewhere here.
    assertThat(builder.environment())
        .containsEntry("SPRING_CONFIG_ADDITIONAL_LOCATION", "file:/etc/bloomguard/");
    builder.environment().put("SPRING_CONFIG_ADDITIONAL_LOCATION", "file:" + directory + "/");
    server = builder.start();
    await()
        .atMost(Duration.ofMinutes(5))
        .failFast(
            () ->
                assertThat(server.isAlive())
                    .as(() -> "A server that ended:\n" + read(log))
                    .isTrue())
        .until(() -> READY.matcher(read(log)).find());
    String output = read(log);
    managementPort = ports(READY, output).get(0);
    port = ports(PORT, output).stream().filter(each -> each != managementPort).findFirst().get();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    if (server != null) {
      server.destroy();
      assertThat(server.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  @Test
  void itsProbesAnswerOnThePortForCallers() throws Exception {
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      JsonObject get = object(manifests.container(), probe, "httpGet");
      assertThat(text(get, "port")).isEqualTo("http");
      HttpResponse<String> answer = get(port, text(get, "path"));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("{\"status\":\"UP\"}");
    }
  }

  @Test
  void itHasTheFilterOfTheValues() throws Exception {
    HttpResponse<String> answer = get(managementPort, "/actuator/bloomfilters");

    assertThat(answer.body())
        .startsWith("{\"filters\":{\"countries\":{")
        .contains("\"expectedInsertions\":1000000");
  }

  @Test
  void itsBillOfMaterialsHasEveryLibraryInIt() throws Exception {
    assumeFalse(
        "offline true".equals(System.getProperty("it.mode")), "offline there is none in the jar");

    JsonObject bill =
        JsonParser.parseString(get(managementPort, "/actuator/sbom/application").body())
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

    assertThat(get(managementPort, text(endpoint, "path")).body())
        .contains("bloomguard_filter_fill_ratio{filter=\"countries\"}");
    assertThat(get(port, text(endpoint, "path")).statusCode()).isEqualTo(404);
  }

  @Test
  void theChartsTestSeesThatItAnswersAndThatItsActuatorDoesNot() throws Exception {
    assumeTrue(RulesTest.isInstalled("wget"), "wget is not installed");

    assertThat(chartsTest(1)).contains("\"status\":\"UP\"", "HTTP/1.1 200", "RESULT 0");
    assertThat(chartsTest(managementPort)).contains("answers, but must not", "RESULT 1");
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

  private static String chartsTest(int managementPort) throws Exception {
    JsonObject container =
        object(manifests.one("Pod"), "spec").getAsJsonArray("containers").get(0).getAsJsonObject();
    assertThat(container.getAsJsonArray("command")).hasToString("[\"sh\",\"-euc\"]");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-euc", container.getAsJsonArray("args").get(0).getAsString())
            .redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "SERVER", "http://127.0.0.1:" + port,
                "MANAGEMENT", "http://127.0.0.1:" + managementPort));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes());
    return output + "RESULT " + process.waitFor();
  }

  private static HttpResponse<String> get(int port, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(JsonObject object, String name) {
    return object.get(name).getAsString();
  }

  private static List<Integer> ports(Pattern pattern, String output) {
    return pattern
        .matcher(output)
        .results()
        .map((MatchResult result) -> Integer.valueOf(result.group(1)))
        .toList();
  }
}
