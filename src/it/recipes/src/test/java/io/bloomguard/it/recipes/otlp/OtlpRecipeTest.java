package io.bloomguard.it.recipes.otlp;

import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The meters reach what receives them, under the names of docs/metrics.md. */
class OtlpRecipeTest {

  @Test
  void metersArePushed() throws Exception {
    Queue<String> received = new ConcurrentLinkedQueue<>();
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/v1/metrics",
        exchange -> {
          // Names and tags are text within Protocol Buffers.
          received.add(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    collector.start();
    String url = "http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/metrics";
    ConfigurableApplicationContext shop =
        new SpringApplicationBuilder(OtlpRecipe.class)
            .web(WebApplicationType.NONE)
            .run(
                "--spring.config.name=otlp",
                "--management.otlp.metrics.export.url=" + url,
                "--management.otlp.metrics.export.step=1s");
    try {
      await()
          .until(
              () ->
                  received.stream()
                      .anyMatch(
                          body ->
                              body.contains("bloomguard.requests")
                                  && body.contains("bloomguard.filter.fill")
                                  && body.contains("products")));
    } finally {
      shop.close();
      collector.stop(0);
    }
  }
}
