package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of a few values are refused before they fill the heap. */
class BodyLimitTest {

  private static final String LONG =
      "{\"name\":\"" + "n".repeat(BodyLimit.MAX_BYTES) + "\",\"price\":1}";

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = new RunningServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/actuator/bloomfilters/products",
        "/api/products",
        "/bloomguard/data/attack",
        "/bloomguard/data/products/prefix"
      })
  void refusesALongBody(String path) throws Exception {
    assertThat(problem(server.send(post(path, BodyPublishers.ofString(LONG))), 413))
        .contains("524288 bytes");
    // Spring MVC tells of some bodies only that they could not be read to their ends.
    assertThat(server.send(post(path, withoutALength())).body())
        .containsAnyOf("524288 bytes", "Failed to read request");
  }

  @Test
  void leavesTheMembershipApiToItsOwnBound() throws Exception {
    String keys = ",\"" + "k".repeat(250) + "\"";
    String body = "{\"keys\":[1" + keys.repeat(BodyLimit.MAX_BYTES / 200) + "]}";

    json(server.post("/v1/filters/products/check", body), 200);
  }

  /** No filter reads a form, whose body is endless here, before the call is refused. */
  @ParameterizedTest
  @ValueSource(strings = {"", "secured"})
  void noFormIsRead(String profile) throws IOException {
    try (RunningServer other =
        new RunningServer(
            "spring.profiles.active=" + profile,
            "spring.security.user.password=geheim",
            "bloomguard.filters.products.source.added-only=true")) {
      for (String method : List.of("POST", "PUT", "PATCH", "DELETE")) {
        for (String type : List.of("application/x-www-form-urlencoded", "multipart/form-data")) {
          assertThat(halfSent(other, method, type)).matches("HTTP/1.1 4(01|03|05|13|15) ");
        }
      }
    }
  }

  /** The beginning of the answer to a call of which the body does not come. */
  private static String halfSent(RunningServer server, String method, String type)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(15_000);
      String call =
          method
              + " /v1/filters/products/check HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n"
              + "Content-Type: "
              + type
              + ";boundary=b\r\nContent-Length: 2000000\r\n\r\n--b";
      socket.getOutputStream().write(call.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readNBytes(13), StandardCharsets.US_ASCII);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bloomguard.server.open-writes=true", "spring.profiles.active=secured"})
  void refusesItWhateverGuardsThePort(String setting) throws Exception {
    try (RunningServer other =
        new RunningServer(
            setting,
            "bloomguard.filters.products.source.added-only=true", // in place of 100,000 products
            "spring.security.user.password=geheim",
            "management.server.port=0")) {
      String port = other.context().getEnvironment().getProperty("local.management.port");
      problem(other.post("/api/products", LONG), 413);
      problem(
          other.send(
              HttpRequest.newBuilder(
                      URI.create("http://127.0.0.1:" + port + "/actuator/bloomfilters/products"))
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString(LONG))
                  .build()),
          413);
    }
  }

  private static HttpRequest post(String path, BodyPublisher body) {
    return server.request(path).header("Content-Type", "application/json").POST(body).build();
  }

  private static BodyPublisher withoutALength() {
    return BodyPublishers.ofInputStream(
        () -> new ByteArrayInputStream(LONG.getBytes(StandardCharsets.UTF_8)));
  }
}
