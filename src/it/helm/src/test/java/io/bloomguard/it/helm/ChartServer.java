package io.bloomguard.it.helm;

import static io.bloomguard.it.helm.Manifests.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.bloomguard.it.support.Http;
import io.bloomguard.it.support.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The server as a process of its own, with the variables and the configuration of a rendered chart.
 */
final class ChartServer implements AutoCloseable {

  private final Manifests manifests;
  private final ServerProcess server;

  /**
   * Returns once it is ready.
   *
   * @param directory for its configuration and its log
   * @param secrets the values of those variables that the chart takes from a Secret
   */
  ChartServer(Manifests manifests, Path directory, Map<String, String> secrets) throws IOException {
    this.manifests = manifests;
    Files.writeString(directory.resolve("application.yml"), manifests.applicationYml());
    Map<String, String> environment = new HashMap<>();
    Manifests.objects(manifests.container().getAsJsonArray("env"))
        .forEach(each -> environment.put(text(each, "name"), value(each, secrets)));
    // The mount's path, which is elsewhere here.
    assertThat(environment)
        .containsEntry("SPRING_CONFIG_ADDITIONAL_LOCATION", "file:/etc/bloomguard/");
    environment.put("SPRING_CONFIG_ADDITIONAL_LOCATION", "file:" + directory + "/");
    server =
        new ServerProcess(
            directory.resolve("server.log"),
            List.of(),
            environment,
            List.of("--management.server.port=0", "--management.server.address=127.0.0.1"));
    server.address();
  }

  /** The port for callers. */
  int port() {
    return server.address().getPort();
  }

  int managementPort() {
    return server.management().getPort();
  }

  /** What a probe of the container is answered. */
  HttpResponse<String> probe(String probe) throws IOException, InterruptedException {
    JsonObject get = object(manifests.container(), probe, "httpGet");
    assertThat(text(get, "port")).isEqualTo("http");
    return get(port(), text(get, "path"));
  }

  HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
    return Http.get(uri(port, path));
  }

  /** The same for whoever has a name and a password. */
  HttpResponse<String> getAs(String user, String password, int port, String path)
      throws IOException, InterruptedException {
    byte[] credentials = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return Http.send(
        HttpRequest.newBuilder(uri(port, path))
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials)));
  }

  /**
   * Runs the commands of the chart's test.
   *
   * @param managementPort the one that must not answer
   * @return what they say, and in the last line the exit code
   */
  String chartsTest(int managementPort) throws IOException, InterruptedException {
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
                "SERVER", "http://127.0.0.1:" + port(),
                "MANAGEMENT", "http://127.0.0.1:" + managementPort));
    Process test = builder.start();
    String output = new String(test.getInputStream().readAllBytes());
    return output + "RESULT " + test.waitFor();
  }

  @Override
  public void close() {
    server.close();
  }

  private static URI uri(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private static String value(JsonObject variable, Map<String, String> secrets) {
    if (variable.has("value")) {
      return text(variable, "value");
    }
    assertThat(object(variable, "valueFrom").has("secretKeyRef")).isTrue();
    return secrets.get(text(variable, "name"));
  }

  private static String text(JsonObject object, String name) {
    return object.get(name).getAsString();
  }
}
