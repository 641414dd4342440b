package io.bloomguard.it.helm;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * As much of a cluster as Helm's {@code lookup} asks: the Secrets and Deployments there are. Helm
 * finds it by the file that {@code KUBECONFIG} names.
 */
final class Cluster {

  private static final String RESOURCES =
      """
      {"kind": "APIResourceList", "groupVersion": "%s", "resources": [
        {"name": "%s", "singularName": "", "namespaced": true, "kind": "%s", "verbs": ["get"]}]}
      """;

  private static final String SECRETS = "/api/v1/namespaces/guards/secrets/";

  private static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/guards/deployments/";

  /** The one value of each Secret, as JSON. */
  private static final Map<String, String> DATA = new ConcurrentHashMap<>();

  private static final Set<String> INSTALLED = ConcurrentHashMap.newKeySet();

  private Cluster() {}

  /** Begins to answer, until the JVM ends. */
  static void start() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", Cluster::answer);
      server.start();
      Files.writeString(
          Path.of(System.getenv("KUBECONFIG")),
          """
          {"apiVersion": "v1", "kind": "Config", "current-context": "it",
           "clusters": [{"name": "it", "cluster": {"server": "http://127.0.0.1:%d"}}],
           "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
           "users": [{"name": "it", "user": {}}]}
          """
              .formatted(server.getAddress().getPort()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs something while there is a Secret with one value. */
  static void withSecret(String name, String key, String value, Runnable test) {
    String encoded = Base64.getEncoder().encodeToString(value.getBytes(UTF_8));
    DATA.put(name, "\"%s\": \"%s\"".formatted(key, encoded));
    try {
      test.run();
    } finally {
      DATA.remove(name);
    }
  }

  /** Runs something while there is a Deployment. */
  static void withDeployment(String name, Runnable test) {
    INSTALLED.add(name);
    try {
      test.run();
    } finally {
      INSTALLED.remove(name);
    }
  }

  private static void answer(HttpExchange call) throws IOException {
    String path = call.getRequestURI().getPath();
    String data = path.startsWith(SECRETS) ? DATA.get(path.substring(SECRETS.length())) : null;
    if (path.equals("/api/v1")) {
      send(call, 200, RESOURCES.formatted("v1", "secrets", "Secret"));
    } else if (path.equals("/apis/apps/v1")) {
      send(call, 200, RESOURCES.formatted("apps/v1", "deployments", "Deployment"));
    } else if (path.startsWith(DEPLOYMENTS)
        && INSTALLED.contains(path.substring(DEPLOYMENTS.length()))) {
      send(
          call,
          200,
          """
          {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "%s", "namespace": "guards"}}
          """
              .formatted(path.substring(DEPLOYMENTS.length())));
    } else if (data != null) {
      send(
          call,
          200,
          """
          {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s", "namespace": "guards"},
           "data": {%s}}
          """
              .formatted(path.substring(SECRETS.length()), data));
    } else {
      send(
          call,
          404,
          "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\","
              + " \"reason\": \"NotFound\", \"code\": 404}");
    }
  }

  private static void send(HttpExchange call, int status, String json) throws IOException {
    byte[] body = json.getBytes(UTF_8);
    call.getResponseHeaders().add("Content-Type", "application/json");
    call.sendResponseHeaders(status, body.length);
    call.getResponseBody().write(body);
    call.close();
  }
}
