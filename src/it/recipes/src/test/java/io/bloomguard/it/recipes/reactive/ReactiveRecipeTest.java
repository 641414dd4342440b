package io.bloomguard.it.recipes.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.util.ClassUtils;
import reactor.netty.resources.LoopResources;

/** A server whose single thread serves all requests. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "spring.config.name=reactive",
      "server.address=127.0.0.1",
      // Reactor Netty 1.3.7 may never answer the next request on a connection (its issue 4361).
      "server.netty.max-keep-alive-requests=1",
      "bloomguard.load.timeout=1m",
      "bloomguard.mutex.wait=1m",
      "bloomguard.mutex.lease=3m",
      "bloomguard.filters.stock.warm-up.mode=blocking",
      "bloomguard.filters.stock.verify.first=0",
      "bloomguard.filters.stock.verify.sample=0"
    })
class ReactiveRecipeTest {

  @TestConfiguration(proxyBeanMethods = false)
  static class OneThread {

    @Bean
    ReactorResourceFactory reactorResourceFactory() {
      ReactorResourceFactory resources = new ReactorResourceFactory();
      resources.setUseGlobalResources(false);
      resources.setLoopResourcesSupplier(() -> LoopResources.create("only", 1, true));
      return resources;
    }
  }

  @Autowired private StockClient stocks;
  @LocalServerPort private int port;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void theApplicationHasNoServletApi() {
    assertThat(ClassUtils.isPresent("jakarta.servlet.Servlet", getClass().getClassLoader()))
        .isFalse();
  }

  @Test
  void anAbsentKeyIsRejectedWithoutALoad() throws Exception {
    int before = stocks.asked();
    assertThat(get("/stock/12345").statusCode()).isEqualTo(404);
    assertThat(stocks.asked()).isEqualTo(before);
  }

  @Test
  void requestsThatWaitHoldUpNoOther() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> waiting =
        Stream.generate(() -> request("/stock/9").build())
            .limit(20)
            .map(request -> http.sendAsync(request, BodyHandlers.ofString()))
            .toList();
    assertThat(get("/stock/7").body()).contains("70");
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    stocks.answer();
    for (CompletableFuture<HttpResponse<String>> answer : waiting) {
      assertThat(answer.get(60, TimeUnit.SECONDS).body()).contains("90");
    }
  }

  @Test
  void aKeyThatIsWrittenIsFound() throws Exception {
    assertThat(get("/stock/8").statusCode()).isEqualTo(404);
    HttpRequest post =
        request("/stock")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"number\":8,\"pieces\":80}"))
            .build();
    assertThat(http.send(post, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(get("/stock/8").body()).contains("80");
  }

  @Test
  void theEndpointAnswers() throws Exception {
    HttpResponse<String> answer = get("/actuator/bloomfilters/stock");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("READY");
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(request(path).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }
}
