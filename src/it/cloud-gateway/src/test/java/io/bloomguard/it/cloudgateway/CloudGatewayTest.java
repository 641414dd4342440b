package io.bloomguard.it.cloudgateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuards;
import io.bloomguard.it.support.ChildProcess;
import io.bloomguard.it.support.Http;
import io.bloomguard.it.support.Wait;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The gateway of the kind that the profile chooses, in front of a program that counts. */
class CloudGatewayTest {

  private static ChildProcess upstream;
  private static ConfigurableApplicationContext gateway;
  private static URI address;

  @BeforeAll
  static void start() throws Exception {
    upstream = Upstream.start();
    String port = upstream.answer();
    gateway =
        SpringApplication.run(
            CloudGateway.class,
            "--upstream=http://127.0.0.1:" + port,
            "--server.port=0",
            "--server.address=127.0.0.1");
    address =
        URI.create("http://127.0.0.1:" + gateway.getEnvironment().getProperty("local.server.port"));
    gateway.getBean(BloomGuards.class).guard("products").put(42);
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  private static int asked() throws InterruptedException {
    upstream.tell("count");
    return Integer.parseInt(upstream.answer());
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return Http.get(address.resolve(path));
  }

  private static double meter(String name, String... tags) {
    return gateway.getBean(MeterRegistry.class).get(name).tags(tags).functionCounter().count();
  }

  @Test
  void absentKeysCostTheUpstreamNothing() throws Exception {
    int before = asked();
    for (int id = 100; id < 200; id++) {
      HttpResponse<String> answer = get("/api/products/" + id);
      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
      assertThat(answer.body()).contains("There is nothing with this key");
    }
    assertThat(asked()).isEqualTo(before);
    System.out.println(
        "RESULT "
            + gateway.getClass().getSimpleName()
            + ": the upstream got 0 of 100 requests for absent keys");
  }

  @Test
  void otherRequestsArrive() throws Exception {
    int before = asked();
    assertThat(get("/api/products/42").body()).isEqualTo("upstream /api/products/42");
    assertThat(get("/api/products/0x2a?q=1").body()).isEqualTo("upstream /api/products/0x2a?q=1");
    assertThat(get("/api/products/word").body()).isEqualTo("upstream /api/products/word");
    assertThat(get("/other").body()).isEqualTo("upstream /other");
    HttpResponse<String> posted =
        Http.send(
            HttpRequest.newBuilder(address.resolve("/api/products/7"))
                .POST(BodyPublishers.ofString("body")));
    assertThat(posted.body()).isEqualTo("upstream /api/products/7");
    assertThat(asked()).isEqualTo(before + 5);
  }

  @Test
  void theUpstreamVerifiesRejectionsByTheStatusesOfItsRule() throws Exception {
    for (int status : new int[] {404, 410, 500}) {
      assertThat(get("/api/orders/" + status).statusCode()).isEqualTo(status);
    }
    assertThat(meter("bloomguard.verified", "filter", "orders", "result", "confirmed"))
        .isEqualTo(2);
    assertThat(get("/api/orders/203").statusCode()).isEqualTo(203);
    Wait.upTo(
        30,
        "the filter is disarmed",
        () -> meter("bloomguard.verified", "filter", "orders", "result", "wrong") == 1);
    assertThat(get("/api/orders/404").body()).startsWith("upstream");
  }
}
