package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.actuate.TestFilters;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.guard.internal.EntryGuards;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The server on a free port of the loopback. */
final class RunningServer implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();

  private static final List<String> DEFAULTS =
      List.of(
          "server.port=0",
          "server.address=127.0.0.1",
          "spring.main.banner-mode=off",
          "management.endpoints.jmx.exposure.exclude=*");

  private final HttpClient http = HttpClient.newHttpClient();
  private final ConfigurableApplicationContext context;

  /** With its own filters, as it runs for a user. */
  RunningServer(String... properties) {
    this.context = new SpringApplicationBuilder(BloomguardServer.class).run(arguments(properties));
  }

  /** With filters wired by hand. */
  RunningServer(TestFilters filters, String... properties) {
    ApplicationContextInitializer<GenericApplicationContext> beans =
        context -> {
          context.registerBean(
              EntryGuards.class, filters::guards, definition -> definition.setPrimary(true));
          context.registerBean(OperatedFilters.class, filters::operated);
        };
    this.context =
        new SpringApplicationBuilder(BloomguardServer.class)
            .initializers(beans)
            .properties("bloomguard.enabled=false")
            .run(arguments(properties));
  }

  /** With its own filters, and beans of the test besides. */
  RunningServer(
      ApplicationContextInitializer<GenericApplicationContext> beans, String... properties) {
    this.context =
        new SpringApplicationBuilder(BloomguardServer.class)
            .initializers(beans)
            .run(arguments(properties));
  }

  private static String[] arguments(String... properties) {
    Map<String, String> arguments = new LinkedHashMap<>();
    Stream.concat(DEFAULTS.stream(), Stream.of(properties))
        .forEach(property -> arguments.put(property.split("=", 2)[0], "--" + property));
    return arguments.values().toArray(new String[0]);
  }

  ConfigurableApplicationContext context() {
    return context;
  }

  int port() {
    return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + host() + ":" + port() + path));
  }

  private String host() {
    return context.getEnvironment().getRequiredProperty("server.address");
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path).build());
  }

  HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json))
            .build());
  }

  /** The answer, which is as the description of the API says if it is one of the API. */
  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
    ApiDescription.requireDocumented(answer);
    return answer;
  }

  static JsonNode json(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return JSON.readTree(answer.body());
  }

  /** The detail of a problem, which must have that status. */
  static String problem(HttpResponse<String> answer, int status) {
    JsonNode body = json(answer, status);
    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
        .startsWith("application/problem+json");
    assertThat(body.path("status").asInt()).isEqualTo(status);
    return body.path("detail").asString("");
  }

  @Override
  public void close() {
    context.close();
  }
}
