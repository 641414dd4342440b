package io.bloomguard.it.helm;

import static io.bloomguard.it.helm.Manifests.name;
import static io.bloomguard.it.helm.Manifests.object;
import static io.bloomguard.it.helm.Manifests.objects;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.marcnuri.helm.LintResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every rendering of the chart. */
class ManifestsTest {

  static List<Path> values() {
    List<Path> examples = Chart.examples();
    assertThat(examples).hasSizeGreaterThanOrEqualTo(6);
    return examples;
  }

  @ParameterizedTest
  @MethodSource("values")
  void strictLintFindsNothing(Path values, @TempDir Path scratch) throws Exception {
    LintResult result = Chart.lint(values, scratch);

    assertThat(result.getMessages())
        .allMatch(message -> message.contains("icon is recommended"), "only the icon is missing");
    assertThat(result.isFailed()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("values")
  void everyManifestFitsTheModel(Path values) throws Exception {
    for (JsonObject manifest : Chart.render(values).all()) {
      Model.check(manifest);
    }
  }

  @Test
  void theChartsOwnValuesFitToo() throws Exception {
    Manifests manifests = Chart.render();
    for (JsonObject manifest : manifests.all()) {
      Model.check(manifest);
    }
    assertThat(manifests.kinds())
        .containsExactlyInAnyOrder(
            "PodDisruptionBudget",
            "ServiceAccount",
            "Secret",
            "ConfigMap",
            "Service",
            "Deployment",
            "Pod");
  }

  @ParameterizedTest
  @MethodSource("values")
  void everyPodIsRestricted(Path values) {
    List<JsonObject> specs = Chart.render(values).podSpecs();

    assertThat(specs).hasSize(2).allSatisfy(PodSecurity::check);
  }

  @ParameterizedTest
  @MethodSource("values")
  void noPodHasAToken(Path values) {
    Manifests manifests = Chart.render(values);

    assertThat(manifests.podSpecs())
        .allMatch(spec -> !spec.get("automountServiceAccountToken").getAsBoolean());
    assertThat(manifests.ofKind("ServiceAccount"))
        .allMatch(account -> !account.get("automountServiceAccountToken").getAsBoolean());
  }

  @ParameterizedTest
  @MethodSource("values")
  void noNameIsGivenTwice(Path values) {
    assertThat(Chart.render(values).all().stream().map(each -> Manifests.kind(each) + name(each)))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("values")
  void onlyTheHeadlessServiceGivesOutTheManagementPort(Path values) {
    for (JsonObject service : Chart.render(values).ofKind("Service")) {
      JsonObject spec = object(service, "spec");
      boolean headless = spec.has("clusterIP");
      assertThat(objects(spec.getAsJsonArray("ports")).map(port -> port.get("targetPort")))
          .extracting(port -> port.getAsString())
          .startsWith(headless ? "management" : "http")
          .doesNotContain(headless ? "http" : "management");
    }
  }

  @ParameterizedTest
  @MethodSource("values")
  void whatSelectsPodsSelectsTheServersAndNoOther(Path values) {
    Manifests manifests = Chart.render(values);
    Map<String, Object> server =
        labels(object(manifests.one("Deployment"), "spec", "template", "metadata", "labels"));
    Map<String, Object> test = labels(object(manifests.one("Pod"), "metadata", "labels"));

    assertThat(
            List.of(
                object(manifests.one("Deployment"), "spec", "selector", "matchLabels"),
                object(manifests.ofKind("Service").get(0), "spec", "selector")))
        .allSatisfy(
            selector -> {
              assertThat(server).containsAllEntriesOf(labels(selector));
              assertThat(test.entrySet().containsAll(labels(selector).entrySet())).isFalse();
            });
    for (String kind : List.of("PodDisruptionBudget", "PodMonitor")) {
      for (JsonObject manifest : manifests.ofKind(kind)) {
        assertThat(server)
            .containsAllEntriesOf(labels(object(manifest, "spec", "selector", "matchLabels")));
      }
    }
    for (JsonObject policy : manifests.ofKind("NetworkPolicy")) {
      assertThat(server)
          .containsAllEntriesOf(labels(object(policy, "spec", "podSelector", "matchLabels")));
    }
  }

  @ParameterizedTest
  @MethodSource("values")
  void theServerListensWhereItsPortsAre(Path values) {
    Manifests manifests = Chart.render(values);
    Map<String, Integer> ports =
        objects(manifests.container().getAsJsonArray("ports"))
            .collect(
                Collectors.toMap(
                    port -> port.get("name").getAsString(),
                    port -> port.get("containerPort").getAsInt()));

    assertThat(manifests.variable("SERVER_PORT").get("value").getAsInt())
        .isEqualTo(ports.get("http"));
    assertThat(manifests.variable("MANAGEMENT_SERVER_PORT").get("value").getAsInt())
        .isEqualTo(ports.get("management"))
        .isNotEqualTo(ports.get("http"));
  }

  private static Map<String, Object> labels(JsonObject object) {
    return object.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().getAsString()));
  }
}
