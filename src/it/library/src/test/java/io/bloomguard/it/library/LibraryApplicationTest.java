package io.bloomguard.it.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "server.address=127.0.0.1")
class LibraryApplicationTest {

  @Autowired private QueryCounter queries;
  @Autowired private BloomGuards guards;
  @LocalServerPort private int port;

  private final HttpClient http = HttpClient.newHttpClient();
  private BloomGuard<Object> guard;

  @BeforeEach
  void awaitWarmUp() {
    guard = guards.guard("books");
    await().until(() -> guard.check(1) == Membership.POSSIBLY_PRESENT);
  }

  @Test
  void presentBooksAreFoundWithOneQueryEach() throws Exception {
    int before = queries.executed();

    for (int id = 1; id <= 100; id++) {
      assertThat(get(id).statusCode()).isEqualTo(200);
      assertThat(get(id).body()).contains("\"id\":" + id).contains("\"title\":\"Volume " + id);
    }

    assertThat(queries.executed() - before).isEqualTo(100);
  }

  @Test
  void absentBooksAreNotFoundWithoutAQuery() throws Exception {
    List<Long> absent =
        LongStream.iterate(1_000_000, id -> id + 1)
            .filter(id -> guard.check(id) == Membership.ABSENT)
            .limit(100)
            .boxed()
            .toList();
    int before = queries.executed();

    for (long id : absent) {
      HttpResponse<String> response = get(id);
      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(response.body()).isEmpty();
    }

    assertThat(queries.executed() - before).isZero();
  }

  @Test
  void whatIsInsertedIsFoundAtOnce() throws Exception {
    for (long id = 5001; id <= 5100; id++) {
      assertThat(get(id).statusCode()).isEqualTo(404);

      assertThat(post(id, "A new one").statusCode()).isEqualTo(201);

      HttpResponse<String> found = get(id);
      assertThat(found.statusCode()).isEqualTo(200);
      assertThat(found.body()).contains("\"title\":\"A new one\"");
    }
  }

  private HttpResponse<String> get(long id) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(uri("/books/" + id)).build());
  }

  private HttpResponse<String> post(long id, String title)
      throws IOException, InterruptedException {
    String body = "{\"id\":%d,\"title\":\"%s\"}".formatted(id, title);
    return send(
        HttpRequest.newBuilder(uri("/books"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build());
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  @TestConfiguration(proxyBeanMethods = false)
  static class Counted {

    @Bean
    static QueryCounter queryCounter() {
      return new QueryCounter();
    }
  }
}
