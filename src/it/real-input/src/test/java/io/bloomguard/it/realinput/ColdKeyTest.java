package io.bloomguard.it.realinput;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cache breakdown: a herd of requests for one name that exists and that no cache holds.
 *
 * <p>The first query is held back until every request has come in, so that all of them are there at
 * once whatever the machine's speed.
 */
@ExtendWith(RealParts.Provider.class)
class ColdKeyTest {

  private static final int REQUESTS = 500;

  /** Room for a slow machine, and for all requests at once. */
  private static final List<String> ROOM =
      List.of(
          "--bloomguard.mutex.wait=50s",
          "--bloomguard.mutex.lease=60s",
          "--bloomguard.load.timeout=50s",
          "--server.tomcat.threads.max=" + REQUESTS,
          "--server.tomcat.accept-count=" + REQUESTS);

  @ParameterizedTest
  @ValueSource(strings = {"local", "redis"})
  void aHerdAtOneApplicationCausesOneQuery(String backend, RealParts parts) throws Exception {
    QueryMonitor queries = new QueryMonitor();
    List<String> arguments = arguments(backend, parts);
    try (Application application =
        new Application(queries, arguments).awaitReady(parts.names().get(0))) {
      requireOneQuery("one application, " + backend, parts, queries, List.of(application));
    }
  }

  @Test
  void aHerdAtTwoApplicationsThatShareRedisCausesOneQuery(RealParts parts) throws Exception {
    QueryMonitor queries = new QueryMonitor();
    List<String> arguments = arguments("redis", parts);
    try (Application one = new Application(queries, arguments).awaitReady(parts.names().get(0));
        Application other = new Application(queries, arguments).awaitReady(parts.names().get(0))) {
      requireOneQuery("two applications, one Redis", parts, queries, List.of(one, other));
    }
  }

  private static List<String> arguments(String backend, RealParts parts) {
    List<String> arguments = new ArrayList<>(parts.arguments(backend));
    // With the default time limit of checks: an answer that comes too late must not cost a load.
    arguments.removeIf(argument -> argument.contains("command-timeout"));
    arguments.addAll(ROOM);
    return arguments;
  }

  private static void requireOneQuery(
      String where, RealParts parts, QueryMonitor queries, List<Application> applications)
      throws Exception {
    String name = parts.names().get(20_000);
    CountDownLatch arrived = new CountDownLatch(REQUESTS);
    applications.forEach(application -> application.countArrivals(arrived));
    queries.holdUntil(arrived);
    int before = queries.executed();

    HttpClient http = HttpClient.newHttpClient();
    List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      HttpRequest request =
          HttpRequest.newBuilder(applications.get(i % applications.size()).uri(name))
              .version(HttpClient.Version.HTTP_1_1)
              .timeout(Duration.ofMinutes(1))
              .build();
      responses.add(http.sendAsync(request, BodyHandlers.ofString()));
    }

    for (CompletableFuture<HttpResponse<String>> response : responses) {
      HttpResponse<String> answer = response.get(2, TimeUnit.MINUTES);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body())
          .contains("\"name\":\"" + name + "\"")
          .contains("\"position\":20001");
    }
    int caused = queries.executed() - before;
    System.out.printf(
        "RESULT cold key, %s: %d concurrent requests, %d database quer%s%n",
        where, REQUESTS, caused, caused == 1 ? "y" : "ies");
    assertThat(caused).isEqualTo(1);
  }
}
