package io.bloomguard.it.helm;

import static io.bloomguard.it.helm.Manifests.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.marcnuri.helm.Helm;
import io.bloomguard.it.support.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The rules and the dashboard in the chart: those of {@code config/}, as they stand there. */
class RulesTest {

  private static final Path CONFIG = Path.of(System.getProperty("it.config"));

  private static final String ALL = "monitoring: {rules: true, dashboard: true}";

  @Test
  void theRulesAreThoseOfTheProject() throws IOException {
    List<JsonObject> rules = Chart.render(ALL).ofKind("PrometheusRule");

    assertThat(rules)
        .extracting(Manifests::name)
        .containsExactlyInAnyOrder("shop-bloomguard-recording-rules", "shop-bloomguard-alerts");
    for (JsonObject rule : rules) {
      String file = Manifests.name(rule).substring("shop-bloomguard-".length()) + ".yml";
      assertThat(object(rule, "spec")).isEqualTo(tree(CONFIG.resolve("prometheus/" + file)));
    }
  }

  @Test
  void runbooksAreWhereAValueSays() {
    JsonObject alerts =
        Chart.render("monitoring: {rules: true, runbookBase: 'https://guard.example/'}")
            .one("PrometheusRule", "shop-bloomguard-alerts");

    assertThat(Manifests.objects(object(alerts, "spec").getAsJsonArray("groups")))
        .flatExtracting(group -> Manifests.objects(group.getAsJsonArray("rules")).toList())
        .isNotEmpty()
        .allSatisfy(
            rule ->
                assertThat(object(rule, "annotations").get("runbook_url").getAsString())
                    .startsWith("https://guard.example/docs/runbooks/"));
  }

  @Test
  void theDashboardIsThatOfTheProject() throws IOException {
    JsonObject dashboard = Chart.render(ALL).one("ConfigMap", "shop-bloomguard-dashboard");

    assertThat(object(dashboard, "metadata", "labels").get("grafana_dashboard").getAsString())
        .isEqualTo("1");
    assertThat(
            JsonParser.parseString(object(dashboard, "data").get("bloomguard.json").getAsString()))
        .isEqualTo(
            JsonParser.parseString(Files.readString(CONFIG.resolve("grafana/bloomguard.json"))));
  }

  /** Who installs the packed chart has no config directory for a link to point to. */
  @Test
  void theyAreInThePackedChart(@TempDir Path directory) throws IOException {
    new Helm(Chart.DIRECTORY).packageIt().withDestination(directory).call();

    try (Stream<Path> packed = Files.list(directory)) {
      Manifests manifests = Chart.render(packed.findFirst().orElseThrow(), ALL);
      assertThat(manifests.ofKind("PrometheusRule")).hasSize(2);
      assertThat(manifests.ofKind("ConfigMap")).hasSize(2);
    }
  }

  @Test
  void aChartWithoutThemIsRefused(@TempDir Path copy) throws IOException {
    Chart.copyTo(copy);
    Files.delete(copy.resolve("files/alerts.yml"));

    assertThatThrownBy(() -> Chart.render(copy, ALL))
        .hasMessageContaining("files/alerts.yml is missing from the chart");
  }

  @Test
  void promtoolFindsThemRight(@TempDir Path directory) throws Exception {
    Optional<Program> promtool = Program.find("promtool");
    assumeTrue(promtool.isPresent(), "promtool is not installed");

    for (JsonObject rule : Chart.render(ALL).ofKind("PrometheusRule")) {
      Path file = directory.resolve(Manifests.name(rule) + ".yml");
      Files.writeString(file, object(rule, "spec").toString());
      Program.Ended ended =
          promtool.get().run(directory, "check", "rules", "--lint-fatal", file.toString());
      assertThat(ended.status()).as(ended.output()).isZero();
    }
  }

  private static JsonElement tree(Path yaml) throws IOException {
    Map<String, Object> map = new Yaml().load(Files.readString(yaml));
    return new Gson().toJsonTree(map);
  }
}
