package io.bloomguard.it.recipes.production;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The steps of the page in their order, with a row that the guard was not told of. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.name=production",
      "server.address=127.0.0.1",
      "spring.sql.init.schema-locations=classpath:schema-production.sql",
      "bloomguard.filters.orders.warm-up.mode=blocking"
    })
class ProductionRecipeTest {

  @Autowired private Orders orders;
  @Autowired private JdbcClient jdbc;
  @LocalServerPort private int port;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void aFilterIsObservedCorrectedAndEnforced() throws Exception {
    assertThat(filter()).contains("\"state\":\"READY\"", "\"mode\":\"observe\"");

    insert(2);
    assertThat(orders.customer(2)).as("nothing is rejected").hasValue("Grace");
    assertThat(filter()).contains("\"state\":\"DISARMED\"", "\"wrong\":1");

    act("rebuild");
    await().untilAsserted(() -> assertThat(filter()).contains("\"state\":\"READY\""));
    assertThat(orders.customer(3)).isEmpty();
    assertThat(filter()).contains("\"wrong\":1", "\"confirmed\":1");

    act("enforce");
    assertThat(filter()).contains("\"mode\":\"enforce\"");
    insert(4);
    assertThat(orders.customer(4)).as("verified").hasValue("Grace");
    assertThat(filter()).contains("\"state\":\"DISARMED\"", "\"wrong\":2");
    assertThat(orders.customer(4)).hasValue("Grace");

    assertThat(asked("{\"action\":\"arm\"}")).as("before a rebuild").isEqualTo(409);
    assertThat(asked("{\"action\":\"arm\",\"force\":true}")).isEqualTo(202);
    assertThat(filter()).contains("\"state\":\"READY\"", "\"mode\":\"enforce\"");
    act("observe");
    assertThat(filter()).contains("\"mode\":\"observe\"");
  }

  private void insert(long id) {
    jdbc.sql("insert into orders values (?, 'Grace')").param(id).update();
  }

  private String filter() throws Exception {
    return http.send(request().build(), BodyHandlers.ofString()).body();
  }

  private void act(String action) throws Exception {
    assertThat(asked("{\"action\":\"" + action + "\"}")).isEqualTo(202);
  }

  private int asked(String body) throws Exception {
    HttpRequest post =
        request()
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return http.send(post, BodyHandlers.ofString()).statusCode();
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:" + port + "/actuator/bloomfilters/orders"));
  }
}
