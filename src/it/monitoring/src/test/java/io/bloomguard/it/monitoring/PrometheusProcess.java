package io.bloomguard.it.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Program;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * A Prometheus with the project's own files. What differs from them is made on the way: the target,
 * and that it scrapes and evaluates every second and an alert waits no longer than that.
 */
final class PrometheusProcess implements AutoCloseable {

  private final Process process;
  private final URI api;

  PrometheusProcess(Program prometheus, Path work, int port, URI server) throws IOException {
    Path config = Path.of(System.getProperty("it.config"), "prometheus");
    write(
        config,
        work,
        "prometheus.yml",
        "localhost:8080",
        server.getAuthority(),
        "_interval: \\w+",
        "_interval: 1s");
    write(config, work, "recording-rules.yml");
    write(config, work, "alerts.yml", "for: \\w+", "for: 1s");
    process =
        Processes.start(
            prometheus
                .builder(
                    work,
                    List.of(
                        "--config.file=prometheus.yml",
                        "--storage.tsdb.path=data",
                        "--web.listen-address=127.0.0.1:" + port))
                .redirectOutput(work.resolve("prometheus.log").toFile()));
    api = URI.create("http://127.0.0.1:" + port + "/api/v1/");
  }

  private static void write(Path from, Path to, String file, String... replacements)
      throws IOException {
    String text = Files.readString(from.resolve(file));
    for (int i = 0; i < replacements.length; i += 2) {
      String replaced = text.replaceAll(replacements[i], replacements[i + 1]);
      assertThat(replaced).as("%s without %s", file, replacements[i]).isNotEqualTo(text);
      text = replaced;
    }
    Files.writeString(to.resolve(file), text);
  }

  /** The series that a query returns at present. */
  JsonNode query(String expression) throws IOException, InterruptedException {
    return data("query?query=" + encoded(expression)).get("result");
  }

  List<String> values(Dashboard.LabelValues asked) throws IOException, InterruptedException {
    List<String> values = new ArrayList<>();
    data("label/" + asked.label() + "/values?match[]=" + encoded(asked.series()))
        .forEach(value -> values.add(value.asString()));
    return values;
  }

  /** The names of the alerts that fire. */
  Set<String> firing() throws IOException, InterruptedException {
    Set<String> firing = new HashSet<>();
    for (JsonNode alert : data("alerts").get("alerts")) {
      if (alert.get("state").asString().equals("firing")) {
        firing.add(alert.get("labels").get("alertname").asString());
      }
    }
    return firing;
  }

  /** All rules, each with its {@code name}, {@code type}, {@code health} and {@code lastError}. */
  List<JsonNode> rules() throws IOException, InterruptedException {
    List<JsonNode> rules = new ArrayList<>();
    data("rules").get("groups").forEach(group -> group.get("rules").forEach(rules::add));
    return rules;
  }

  private JsonNode data(String call) throws IOException, InterruptedException {
    JsonNode answer = Json.get(api.resolve(call.replace("[]", "%5B%5D")));
    assertThat(answer.get("status").asString()).as("%s: %s", call, answer).isEqualTo("success");
    return answer.get("data");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    if (!Processes.end(process)) {
      throw new IllegalStateException("Prometheus had to be killed");
    }
  }
}
