package io.bloomguard.it.recipes.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.it.recipes.Connections;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.name=webflux",
      "server.address=127.0.0.1",
      // Reactor Netty 1.3.7 may never answer the next request on a connection (its issue 4361).
      "server.netty.max-keep-alive-requests=1",
      "spring.sql.init.schema-locations=classpath:schema-webflux.sql",
      "bloomguard.filters.articles.warm-up.mode=blocking",
      "bloomguard.filters.articles.verify.first=0",
      "bloomguard.filters.articles.verify.sample=0"
    })
@Import(Connections.class)
class WebFluxRecipeTest {

  @Autowired private Connections connections;
  @LocalServerPort private int port;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void anAbsentKeyIsRejectedWithoutAQuery() throws Exception {
    int before = connections.taken();
    assertThat(get("/articles/999999").statusCode()).isEqualTo(404);
    assertThat(connections.taken()).isEqualTo(before);
  }

  @Test
  void aKeyThatIsWrittenIsFound() throws Exception {
    assertThat(get("/articles/7").body()).contains("Brush");
    assertThat(get("/articles/8").statusCode()).isEqualTo(404);
    HttpRequest post =
        request("/articles")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"number\":8,\"name\":\"Lamp\"}"))
            .build();
    assertThat(http.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(get("/articles/8").body()).contains("Lamp");
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(request(path).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }
}
