package io.bloomguard.it.helm;

import static io.bloomguard.it.helm.Chart.render;
import static io.bloomguard.it.helm.Manifests.name;
import static io.bloomguard.it.helm.Manifests.object;
import static io.bloomguard.it.helm.Manifests.objects;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What single values lead to. */
class ValuesTest {

  private static final String TWO_SHARED = "{replicaCount: 2, backend: redis, redis: {host: r}}";

  @Test
  void localFiltersAreReplacedOneByOneAndSharedOnesRollingly() {
    assertThat(strategy("{}")).isEqualTo("Recreate");
    assertThat(strategy("{filters: {a: {backend: local}}, backend: redis, redis: {host: r}}"))
        .isEqualTo("Recreate");
    assertThat(strategy("{allowUnsharedReplicas: true}")).isEqualTo("RollingUpdate");
    assertThat(strategy(TWO_SHARED)).isEqualTo("RollingUpdate");
  }

  @Test
  void unsharedReplicasAreAllowedWhereAValueSaysSo() {
    assertThat(
            object(render(example("cluster")).one("Deployment"), "spec").get("replicas").getAsInt())
        .isEqualTo(2);
  }

  @Test
  void theAutoscalerAloneSaysHowManyReplicas() {
    Manifests manifests = render(example("sentinel"));

    assertThat(object(manifests.one("Deployment"), "spec").has("replicas")).isFalse();
    assertThat(
            object(manifests.one("HorizontalPodAutoscaler"), "spec", "scaleTargetRef")
                .get("name")
                .getAsString())
        .isEqualTo(name(manifests.one("Deployment")));
  }

  @Test
  void secretsComeFromSecretsThatExist() {
    Manifests manifests = render(example("redis"));

    assertThat(secret(manifests, "BLOOMGUARD_HASHSECRET"))
        .isEqualTo("{\"name\":\"shop-hash-secret\",\"key\":\"hash-secret\"}");
    assertThat(secret(manifests, "SPRING_DATA_REDIS_USERNAME"))
        .isEqualTo("{\"name\":\"shop-redis\",\"key\":\"username\"}");
    assertThat(secret(manifests, "SPRING_DATA_REDIS_PASSWORD"))
        .isEqualTo("{\"name\":\"shop-redis\",\"key\":\"password\"}");
    assertThat(secret(manifests, "SPRING_DATASOURCE_USERNAME"))
        .isEqualTo("{\"name\":\"shop-database\",\"key\":\"username\"}");
    assertThat(secret(manifests, "SPRING_DATASOURCE_PASSWORD"))
        .isEqualTo("{\"name\":\"shop-database\",\"key\":\"password\"}");
  }

  @Test
  void theOperatorsPasswordIsMadeUnlessASecretHasIt() {
    Manifests made = render("auth: {passwordKey: pass}");
    JsonObject secret = made.one("Secret");

    assertThat(secret(made, "SPRING_SECURITY_USER_PASSWORD"))
        .isEqualTo("{\"name\":\"shop-bloomguard-operator\",\"key\":\"pass\"}");
    assertThat(name(secret)).isEqualTo("shop-bloomguard-operator");
    assertThat(object(secret, "metadata", "annotations").get("helm.sh/resource-policy"))
        .hasToString("\"keep\"");
    assertThat(object(secret, "data").keySet()).containsExactly("pass");
    assertThat(password(render("{}")))
        .matches("[a-zA-Z0-9]{32}")
        .isNotEqualTo(password(render("{}")));

    Manifests existing = render(example("secured"));
    assertThat(secret(existing, "SPRING_SECURITY_USER_PASSWORD"))
        .isEqualTo("{\"name\":\"shop-operator\",\"key\":\"password\"}");
    assertThat(existing.kinds()).doesNotContain("Secret");
  }

  @Test
  void anUpgradeTakesOverThePasswordThatWasMade() {
    Cluster.withSecret(
        "shop-bloomguard-operator",
        "password",
        "kept",
        () ->
            assertThat(password(render("{}")))
                .isEqualTo("kept")
                .isEqualTo(password(render("replicaCount: 1"))));
  }

  @Test
  void theSecretOfTheHashIsMadeWhereAFilterIsInRedis() {
    String redis = "{backend: redis, redis: {host: r}, hashSecret: {key: hex}}";
    Manifests made = render(redis);
    JsonObject secret = made.one("Secret", "shop-bloomguard-hash");

    assertThat(secret(made, "BLOOMGUARD_HASHSECRET"))
        .isEqualTo("{\"name\":\"shop-bloomguard-hash\",\"key\":\"hex\"}");
    assertThat(object(secret, "metadata", "annotations").get("helm.sh/resource-policy"))
        .hasToString("\"keep\"");
    assertThat(object(secret, "data").keySet()).containsExactly("hex");
    assertThat(Base64.getDecoder().decode(hashSecret(made, "hex"))).hasSize(16);
    assertThat(hashSecret(render(redis), "hex")).isNotEqualTo(hashSecret(made, "hex"));
    assertThat(checksum(redis)).isEqualTo(checksum(redis));

    assertThat(secretsOf("{}")).containsExactly("shop-bloomguard-operator");
    assertThat(names(render("{}"))).doesNotContain("BLOOMGUARD_HASHSECRET");
    String variable =
        """
        {backend: redis, redis: {host: r},
         extraEnv: [{name: BLOOMGUARD_HASHSECRET, valueFrom: {secretKeyRef: {name: s, key: k}}}]}
        """;
    assertThat(secretsOf(variable)).containsExactly("shop-bloomguard-operator");
    assertThat(names(render(variable))).doesNotHaveDuplicates();
    assertThat(render(example("redis")).ofKind("Secret").stream().map(Manifests::name))
        .containsExactly("shop-bloomguard-operator");
  }

  @Test
  void anUpgradeTakesOverTheSecretOfTheHash() {
    Cluster.withSecret(
        "shop-bloomguard-hash",
        "hash-secret",
        "000102030405060708090a0b0c0d0e0f",
        () ->
            Cluster.withDeployment(
                "shop-bloomguard",
                () ->
                    assertThat(hashSecret(render(TWO_SHARED), "hash-secret"))
                        .isEqualTo("000102030405060708090a0b0c0d0e0f")));
  }

  /** What is in Redis may be hashed under a secret that the chart cannot read. */
  @Test
  void anUpgradeOfAReleaseWithoutThatSecretMakesNone() {
    Cluster.withDeployment(
        "shop-bloomguard",
        () -> {
          assertThatThrownBy(() -> render(TWO_SHARED))
              .hasMessageContaining("hashSecret.existingSecret is empty")
              .hasMessageContaining("openssl rand -hex 16");
          assertThat(render(example("redis")).kinds()).contains("Deployment");
          assertThat(render("{}").kinds()).contains("Deployment");
        });
  }

  /** The image has a profile of its own, so that leaving it out would not do. */
  @Test
  void theProfileIsSecuredUnlessAValueSaysOtherwise() {
    assertThat(text(render().variable("SPRING_PROFILES_ACTIVE"), "value")).isEqualTo("secured");

    Manifests open = render("auth: {enabled: false}");
    assertThat(text(open.variable("SPRING_PROFILES_ACTIVE"), "value")).isEmpty();
    assertThat(open.kinds()).doesNotContain("Secret");
    assertThat(names(open)).doesNotContain("SPRING_SECURITY_USER_PASSWORD");

    Manifests given =
        render(
            """
            extraEnv:
              - {name: SPRING_PROFILES_ACTIVE, value: "secured,shop"}
              - {name: SPRING_SECURITY_USER_PASSWORD, valueFrom: {secretKeyRef: {name: s, key: p}}}
            """);
    assertThat(names(given)).doesNotHaveDuplicates();
    assertThat(text(given.variable("SPRING_PROFILES_ACTIVE"), "value")).isEqualTo("secured,shop");
    assertThat(given.kinds()).doesNotContain("Secret");
  }

  /** The password is none of the configuration, or each rendering would make other pods. */
  @Test
  void aPasswordThatIsMadeMakesNoOtherPods() {
    assertThat(checksum("{}")).isEqualTo(checksum("{}"));
  }

  /** Which YAML would take for a number, a truth or nothing. */
  @Test
  void namesStayTextAndNumbersWhole() {
    Manifests manifests =
        Chart.renderAs(
            "1e3",
            """
            {fullnameOverride: "true", nameOverride: "null", priorityClassName: "007",
             runAsUser: 1000660000, terminationGracePeriodSeconds: 2592000,
             backend: redis, redis: {host: r, existingSecret: "1234", passwordKey: "5e6", usernameKey: "on"},
             database: {url: "jdbc:h2:mem:a", existingSecret: "0x1f", usernameKey: "1", passwordKey: "no"},
             hashSecret: {existingSecret: "1.5", key: "0"},
             serviceAccount: {name: "42"}, topologySpread: {keys: ["null"]},
             ingress: {enabled: true, className: "1", hosts: [{host: a, paths: ["/a: #b"]}]}}
            """);
    JsonObject pod = object(manifests.one("Deployment"), "spec", "template", "spec");

    assertThat(secret(manifests, "BLOOMGUARD_HASHSECRET"))
        .isEqualTo("{\"name\":\"1.5\",\"key\":\"0\"}");
    assertThat(secret(manifests, "SPRING_DATA_REDIS_USERNAME"))
        .isEqualTo("{\"name\":\"1234\",\"key\":\"on\"}");
    assertThat(secret(manifests, "SPRING_DATA_REDIS_PASSWORD"))
        .isEqualTo("{\"name\":\"1234\",\"key\":\"5e6\"}");
    assertThat(secret(manifests, "SPRING_DATASOURCE_USERNAME"))
        .isEqualTo("{\"name\":\"0x1f\",\"key\":\"1\"}");
    assertThat(secret(manifests, "SPRING_DATASOURCE_PASSWORD"))
        .isEqualTo("{\"name\":\"0x1f\",\"key\":\"no\"}");
    assertThat(object(manifests.one("Service"), "metadata"))
        .hasToString(
            "{\"name\":\"true\",\"labels\":{\"app.kubernetes.io/name\":\"null\","
                + "\"app.kubernetes.io/instance\":\"1e3\","
                + "\"app.kubernetes.io/component\":\"server\","
                + "\"app.kubernetes.io/version\":\"0.9.0\","
                + "\"app.kubernetes.io/managed-by\":\"Helm\","
                + "\"helm.sh/chart\":\"bloomguard-0.9.0\"}}");
    assertThat(pod.get("serviceAccountName")).hasToString("\"42\"");
    assertThat(pod.get("priorityClassName")).hasToString("\"007\"");
    assertThat(pod.get("terminationGracePeriodSeconds")).hasToString("2592000");
    assertThat(object(pod, "securityContext"))
        .hasToString(
            "{\"runAsNonRoot\":true,\"runAsUser\":1000660000,\"runAsGroup\":1000660000,"
                + "\"fsGroup\":1000660000,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}");
    assertThat(pod.get("topologySpreadConstraints").toString())
        .contains("\"topologyKey\":\"null\"");
    assertThat(object(manifests.one("Ingress"), "spec").toString())
        .contains("\"ingressClassName\":\"1\"", "\"path\":\"/a: #b\"", "\"name\":\"true\"");
  }

  @Test
  void aNameThatIsCutEndsInNoDash() {
    assertThat(name(Chart.renderAs("r", "fullnameOverride: a" + "b".repeat(49)).one("Service")))
        .isEqualTo("a" + "b".repeat(49));
    assertThat(name(Chart.renderAs("a".repeat(48), "nameOverride: b").one("Service")))
        .isEqualTo("a".repeat(48) + "-b");
    assertThat(name(Chart.renderAs("a".repeat(49), "nameOverride: b").one("Service")))
        .isEqualTo("a".repeat(49));
    assertThat(name(Chart.renderAs("a".repeat(48) + "--b", "nameOverride: c").one("Service")))
        .isEqualTo("a".repeat(48));
  }

  @Test
  void theConfigurationSaysWhatTheValuesSay() {
    assertThat(configuration("redis"))
        .isEqualTo(
            new Yaml()
                .<Map<String, Object>>load(
                    """
                    bloomguard:
                      backend: redis
                      filters:
                        products:
                          expected-insertions: 100000000
                          false-positive-probability: 0.001
                          replica: {enabled: true}
                          source: {jdbc: {query: select id from products}}
                    management:
                      endpoint:
                        health:
                          group:
                            readiness:
                              include: readinessState,bloomguard
                              show-components: never
                              show-details: never
                          probes: {add-additional-paths: true}
                    spring:
                      data: {redis: {host: redis.shop.svc, port: 6379, ssl: {enabled: true}}}
                      datasource: {url: "jdbc:mariadb://mariadb.shop.svc/shop"}
                    """));
    assertThat(configuration("sentinel").get("spring").toString())
        .contains("sentinel={master=shop, nodes=[sentinel-0.shop.svc:26379, ");
    assertThat(configuration("cluster").get("spring").toString())
        .contains("cluster={nodes=[redis-0.redis.shop.svc:6379, ");
  }

  @Test
  void theGatewaysRulesAreThoseOfTheValues() {
    assertThat(configuration("gateway").get("bloomguard").toString())
        .contains(
            "gateway={rules=[{filter=products, key=id, pattern=/api/products/{id}, type=long}],"
                + " trusted-peers=[10.0.0.0/8]}");
    assertThat(configuration("sidecar").get("bloomguard").toString()).contains("gateway={rules=[");
    assertThat(configuration("redis").get("bloomguard").toString()).doesNotContain("gateway");
  }

  /**
   * The proxy in the server's pod is reached by the Service and past the policy, as the server is.
   */
  @Test
  void aContainerBesideTheServerHasItsPort() {
    Manifests manifests = render(example("sidecar"));
    JsonObject pod = object(manifests.one("Deployment"), "spec", "template", "spec");

    assertThat(objects(pod.getAsJsonArray("containers")).map(each -> text(each, "name")))
        .containsExactly("bloomguard", "nginx");
    assertThat(
            objects(object(manifests.one("Service"), "spec").getAsJsonArray("ports"))
                .map(port -> port.get("port") + " " + port.get("targetPort")))
        .containsExactly("80 \"http\"", "8000 \"shop\"");
    assertThat(object(manifests.one("NetworkPolicy"), "spec").getAsJsonArray("ingress").get(0))
        .hasToString("{\"ports\":[{\"port\":\"http\"},{\"port\":\"shop\"}]}");
  }

  @Test
  void furtherConfigurationIsLaidOverIt() {
    assertThat(configuration("cluster").get("bloomguard").toString())
        .contains("backend=local", "cache={null-ttl=1m}", "countries=");
    assertThat(configuration("cluster")).containsKey("logging");
  }

  @Test
  void anotherConfigurationMakesOtherPods() {
    assertThat(checksum("{}")).isEqualTo(checksum("{replicaCount: 1}"));
    assertThat(checksum("{}")).isNotEqualTo(checksum("{filters: {a: {}}}"));
  }

  @Test
  void theNetworkPolicyLetsTheNamedPeersInAndTheTest() {
    Manifests manifests = render(example("sentinel"));
    JsonObject policy = object(manifests.one("NetworkPolicy"), "spec");

    assertThat(policy.getAsJsonArray("policyTypes")).hasToString("[\"Ingress\",\"Egress\"]");
    assertThat(policy.getAsJsonArray("ingress"))
        .isEqualTo(
            JsonParser.parseString(
                """
                [{"ports": [{"port": "http"}],
                  "from": [
                    {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}},
                    {"podSelector": {"matchLabels": {
                      "app.kubernetes.io/name": "bloomguard", "app.kubernetes.io/instance": "shop",
                      "app.kubernetes.io/component": "test"}}}]},
                 {"ports": [{"port": "management"}],
                  "from": [{"namespaceSelector":
                    {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]}]
                """));
    assertThat(policy.getAsJsonArray("egress")).hasSize(2);
  }

  @Test
  void nobodyReachesTheManagementPortWhereNobodyIsNamed() {
    JsonObject policy =
        render("networkPolicy: {enabled: true, monitoring: []}").one("NetworkPolicy");

    assertThat(object(policy, "spec").getAsJsonArray("ingress"))
        .hasToString("[{\"ports\":[{\"port\":\"http\"}]}]");
  }

  @Test
  void prometheusReachesTheManagementPortEitherWay() {
    JsonObject monitor = object(render(example("monitored")).one("PodMonitor"), "spec");
    Manifests byService = render(example("service-monitor"));
    JsonObject headless = byService.one("Service", "shop-bloomguard-management");

    assertThat(objects(monitor.getAsJsonArray("podMetricsEndpoints")))
        .singleElement()
        .hasToString(
            "{\"port\":\"management\",\"path\":\"/actuator/prometheus\",\"interval\":\"30s\"}");
    assertThat(byService.kinds()).doesNotContain("PodMonitor");
    assertThat(object(headless, "spec").get("clusterIP").getAsString()).isEqualTo("None");
    assertThat(object(headless, "metadata", "labels").entrySet())
        .containsAll(
            object(byService.one("ServiceMonitor"), "spec", "selector", "matchLabels").entrySet());
    assertThat(object(byService.one("Service", "shop-bloomguard"), "metadata", "labels").keySet())
        .doesNotContain("bloomguard.io/port");
  }

  @Test
  void theImageIsByTagOrByDigest() {
    assertThat(render().container().get("image").getAsString()).isEqualTo("bloomguard:0.9.0");
    assertThat(render("image: {tag: 1.2.3}").container().get("image").getAsString())
        .isEqualTo("bloomguard:1.2.3");
    assertThat(render(example("public")).container().get("image").getAsString())
        .startsWith("registry.example/bloomguard@sha256:0123456789");
  }

  @Test
  void theNotesSayWhatToDoNext() {
    assertThat(Chart.notes(example("monitored")))
        .contains("so a demo catalogue is served", "Local to each pod: products.");
    assertThat(Chart.notes(example("cluster")))
        .contains("A key added at one pod is rejected at the others", "hashSecret.existingSecret");
    assertThat(Chart.notes(example("redis")))
        .contains("helm test -n guards shop")
        .doesNotContain("demo", "Local to each pod", "hashSecret");
    assertThat(Chart.notes(example("redis")))
        .contains(
            "get secret shop-bloomguard-operator"
                + " -o go-template='{{index .data \"password\" | base64decode}}'",
            "made by the chart",
            "curl -u operator localhost:9090");
    assertThat(Chart.notes(example("secured")))
        .contains("get secret shop-operator")
        .doesNotContain("made by the chart");
    assertThat(Chart.notes(example("local")))
        .contains("auth.enabled is false", "curl localhost:9090")
        .doesNotContain("get secret");
    assertThat(Chart.notes(example("public"))).contains("The ingress gives out");
  }

  private static Path example(String name) {
    return Chart.DIRECTORY.resolve("ci/" + name + "-values.yaml");
  }

  private static String strategy(String values) {
    return object(render(values).one("Deployment"), "spec", "strategy").get("type").getAsString();
  }

  private static String secret(Manifests manifests, String variable) {
    return object(manifests.variable(variable), "valueFrom", "secretKeyRef").toString();
  }

  private static Map<String, Object> configuration(String example) {
    return new Yaml().load(render(example(example)).applicationYml());
  }

  private static String password(Manifests manifests) {
    String encoded = text(object(manifests.one("Secret"), "data"), "password");
    return new String(Base64.getDecoder().decode(encoded), UTF_8);
  }

  private static String hashSecret(Manifests manifests, String key) {
    JsonObject data = object(manifests.one("Secret", "shop-bloomguard-hash"), "data");
    return new String(Base64.getDecoder().decode(text(data, key)), UTF_8);
  }

  private static List<String> secretsOf(String values) {
    return render(values).ofKind("Secret").stream().map(Manifests::name).toList();
  }

  private static List<String> names(Manifests manifests) {
    return objects(manifests.container().getAsJsonArray("env"))
        .map(each -> text(each, "name"))
        .toList();
  }

  private static String text(JsonObject object, String name) {
    return object.get(name).getAsString();
  }

  private static String checksum(String values) {
    return object(render(values).one("Deployment"), "spec", "template", "metadata", "annotations")
        .get("checksum/config")
        .getAsString();
  }
}
