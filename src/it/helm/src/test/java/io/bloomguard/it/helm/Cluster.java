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
import java.util.concurrent.ConcurrentHashMap;

/**
 * As much of a cluster as Helm's {@code lookup} asks: the Secrets there are. Helm finds it by the
 * file that {@code KUBECONFIG} names.
 */
final class Cluster {

  private static final String SECRETS = "/api/v1/namespaces/guards/secrets/";

  private static final Map<String, String> PASSWORDS = new ConcurrentHashMap<>();

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

  /** Runs something while there is a Secret with a password. */
  static void withSecret(String name, String password, Runnable test) {
    PASSWORDS.put(name, password);
    try {
      test.run();
    } finally {
      PASSWORDS.remove(name);
    }
  }

  private static void answer(HttpExchange call) throws IOException {
    String path = call.getRequestURI().getPath();
    String password =
        path.startsWith(SECRETS) ? PASSWORDS.get(path.substring(SECRETS.length())) : null;
    if (path.equals("/api/v1")) {
      send(
          call,
          200,
          """
          {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
            {"name": "secrets", "singularName": "", "namespaced": true, "kind": "Secret", "verbs": ["get"]}]}
          """);
    } else if (password != null) {
      send(
          call,
          200,
          """
          {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s", "namespace": "guards"},
           "data": {"password": "%s"}}
          """
              .formatted(
                  path.substring(SECRETS.length()),
                  Base64.getEncoder().encodeToString(password.getBytes(UTF_8))));
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
