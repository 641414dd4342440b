package io.bloomguard.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** The endpoint that decides for proxies, asked in each of their ways. */
class AuthoriseTest {

  private static final String[] GATEWAY = {
    "bloomguard.filters.products.source.added-only=true",
    "bloomguard.filters.products.verify.first=0",
    "bloomguard.filters.products.verify.sample=0",
    "bloomguard.filters.products.verify.max-per-second=0",
    "bloomguard.filters.listed.source.added-only=true",
    "bloomguard.filters.listed.reject=present",
    "bloomguard.filters.listed.on-unknown=closed",
    "bloomguard.filters.closed.on-unknown=closed",
    "bloomguard.filters.open.on-unknown=open",
    "bloomguard.gateway.rules[0].pattern=/api/products/{id}",
    "bloomguard.gateway.rules[0].filter=products",
    "bloomguard.gateway.rules[0].key=id",
    "bloomguard.gateway.rules[0].type=long",
    "bloomguard.gateway.rules[1].pattern=/api/names/{name}",
    "bloomguard.gateway.rules[1].filter=products",
    "bloomguard.gateway.rules[1].key=name",
    "bloomguard.gateway.rules[2].pattern=/tokens/{id}",
    "bloomguard.gateway.rules[2].filter=listed",
    "bloomguard.gateway.rules[2].key=id",
    "bloomguard.gateway.rules[2].type=long",
    "bloomguard.gateway.rules[3].pattern=/closed/{id}",
    "bloomguard.gateway.rules[3].filter=closed",
    "bloomguard.gateway.rules[3].key=id",
    "bloomguard.gateway.rules[4].pattern=/open/{id}",
    "bloomguard.gateway.rules[4].filter=open",
    "bloomguard.gateway.rules[4].key=id"
  };

  private static RunningServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new RunningServer(GATEWAY);
    server.post("/v1/filters/products/keys", "{\"keys\":[42,\"a\"]}");
    server.post("/v1/filters/listed/keys", "{\"keys\":[7]}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** The status by the path, by nginx' headers and by those of Traefik and Caddy. */
  @ParameterizedTest
  @CsvSource({
    "GET /api/products/42, 204, 204, 204",
    "HEAD /api/products/42, 204, 204, 204",
    "GET /api/products/0x2a?q=43, 204, 204, 204",
    "GET /api/products/43, 404, 403, 404",
    "HEAD /api/products/43, 404, 403, 404",
    "GET /api/products/43?id=42, 404, 403, 404",
    "POST /api/products/43, 204, 204, 204",
    "GET /api/products/43/, 404, 403, 404",
    "GET //api//products/43, 404, 403, 404",
    "GET /api/x/../products/43, 404, 403, 404",
    "GET /api/x/%2e%2e/products/43, 404, 403, 404",
    "GET /api%2Fproducts%2f43, 404, 403, 404",
    "GET /api%5Cproducts/43, 404, 403, 404",
    "GET /api/products/43;x=1, 404, 403, 404",
    "GET /api/names/a, 204, 204, 204",
    "GET /api/products/42?sort[id]={a|b}, 204, 204, 204",
    "GET /api/names/a|b^, 404, 403, 404",
    "GET /api/names/a;b, 204, 204, 204",
    "GET /api/names/b;a, 404, 403, 404",
    "GET /api/names/a%2Fb, 404, 403, 404",
    "GET /api/names/a%0Ab, 404, 403, 404",
    "GET /tokens/8, 204, 204, 204",
    "GET /tokens/7, 403, 403, 403",
    "DELETE /tokens/07, 403, 403, 403",
    "GET /tokens/7%20N, 403, 403, 403",
    "OPTIONS /tokens/7, 204, 204, 204",
    "GET /tokens/8%5C, 403, 403, 403",
    "GET /other%2F..%2Ftokens/8, 403, 403, 403",
    "GET /closed/1, 403, 403, 403",
    "GET /closed/1%2F, 403, 403, 403",
    "GET /open/1, 204, 204, 204",
    "GET /, 204, 204, 204",
    "GET /other//a%2Fb;x/../c, 204, 204, 204",
    "GET /v1/filters/products/keys, 204, 204, 204"
  })
  void decidesInEachWay(String request, int path, int original, int forwarded) throws IOException {
    String method = request.split(" ")[0];
    String target = request.split(" ")[1];
    String byPath = send(server, method, "/v1/authorise" + target, "");
    assertThat(status(byPath)).isEqualTo(path);
    String byOriginal = send(server, "GET", "/v1/authorise", headers("Original-URI", request));
    assertThat(status(byOriginal)).isEqualTo(original);
    String byForwarded = send(server, "GET", "/v1/authorise", headers("Forwarded-Uri", request));
    assertThat(status(byForwarded)).isEqualTo(forwarded);
    for (String answer : List.of(byPath, byOriginal, byForwarded)) {
      requireDocument(answer);
      assertThat(answer).doesNotContain("Retry-After");
    }
  }

  private static String headers(String uri, String request) {
    String method = uri.split("-")[0] + "-Method";
    return "X-%s: %s\r\nX-%s: %s\r\n"
        .formatted(uri, request.split(" ")[1], method, request.split(" ")[0]);
  }

  private static void requireDocument(String answer) {
    String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
    if (status(answer) == 204) {
      assertThat(body).isEmpty();
      return;
    }
    assertThat(answer).contains("Content-Type: application/problem+json");
    if (!body.isEmpty()) { // as after HEAD
      assertThat(body).startsWith("{\"type\":\"about:blank\",\"title\":\"");
      assertThat(body)
          .contains("\"status\":" + status(answer))
          .doesNotContain("43", "/api", "/other");
      assertThat(ApiDescription.allows("Problem", body)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "X-Original-URI: /api/products/42",
        "X-Original-Method: GET",
        "X-Forwarded-Uri: /api/products/42",
        "X-Forwarded-Method: GET",
        "X-Original-URI: /api/products/42|X-Forwarded-Method: GET",
        "X-Original-URI: /a|X-Original-URI: /a|X-Original-Method: GET",
        "X-Original-URI: /a|X-Original-Method: GET|X-Original-Method: GET",
        "X-Forwarded-Uri: /a|X-Forwarded-Uri: /b|X-Forwarded-Method: GET",
        "X-Original-URI: /a|X-Original-Method: GET|X-Forwarded-Uri: /a|X-Forwarded-Method: GET",
        "X-Original-URI: /a|X-Original-Method: GET|X-Forwarded-Uri: /a",
        "X-Original-URI: a|X-Original-Method: GET",
        "X-Original-URI:|X-Original-Method: GET",
        "X-Original-URI: http://shop.example/a|X-Original-Method: GET",
        "X-Original-URI: *|X-Original-Method: OPTIONS",
        "X-Original-URI: /a|X-Original-Method: G T",
        "X-Original-URI: /a|X-Original-Method:"
      })
  void aRequestThatIsNotNamedOnceIsRefused(String headers) throws IOException {
    String lines = headers.isEmpty() ? "" : headers.replace("|", "\r\n") + "\r\n";
    String answer = send(server, "GET", "/v1/authorise", lines);
    assertThat(status(answer)).isEqualTo(400);
    requireDocument(answer);
  }

  /** As long as proxies take them: a client could otherwise choose not to be judged. */
  @Test
  void longRequestsAreJudged() throws IOException {
    String method = "M".repeat(4000);
    for (String path :
        List.of(
            "/tokens/7?q=" + "a".repeat(60_000),
            "/tokens/7;x=" + "a".repeat(100),
            "/tokens" + "/.".repeat(30_000) + "/7")) {
      String lines = headers("Original-URI", method + " " + path);
      assertThat(status(send(server, "GET", "/v1/authorise", lines))).isEqualTo(403);
    }
    String cookies = "Cookie: " + "c".repeat(50_000) + "\r\n";
    assertThat(status(send(server, "GET", "/v1/authorise/api/products/42", cookies)))
        .isEqualTo(204);
  }

  /** The path of a call is what counts, whatever its client sends besides. */
  @Test
  void headersBesideAPathAreNotRead() throws IOException {
    String lines = headers("Original-URI", "GET /api/products/42");
    assertThat(status(send(server, "GET", "/v1/authorise/api/products/43", lines))).isEqualTo(404);
  }

  /** A question changes nothing, so one with the method of a write is no write. */
  @Test
  void questionsComeFromOtherMachinesToo() throws IOException {
    String elsewhere = "X-Forwarded-For: 203.0.113.9\r\n";
    assertThat(status(send(server, "POST", "/v1/authorise/api/products/43", elsewhere)))
        .isEqualTo(204);
    assertThat(status(send(server, "POST", "/v1/filters/products/keys", elsewhere))).isEqualTo(403);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "::1, true",
    "10.1.2.3, true",
    "192.0.2.7, true",
    "192.0.2.8, false",
    "2001:db8::9, true",
    "2001:db9::9, false"
  })
  void onlyTrustedPeersNameRequestsByHeaders(String address, boolean trusted) {
    TrustedPeers peers = new TrustedPeers(List.of("10.0.0.0/8", "192.0.2.7", "2001:db8::/32"));
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setRemoteAddr(address);
    assertThat(peers.trusts(request)).isEqualTo(trusted);
    // Tomcat has believed a header.
    request.setAttribute("org.apache.tomcat.request.forwarded", true);
    assertThat(peers.trusts(request)).isFalse();
  }

  @Test
  void whatIsNoAddressIsRefused() {
    assertThatThrownBy(() -> new TrustedPeers(List.of("gateway")))
        .hasMessageContaining("bloomguard.gateway.trusted-peers has 'gateway'");
  }

  /** The server itself: other calls keep their paths, and the endpoint has no others beneath. */
  @ParameterizedTest
  @CsvSource({
    "GET /v1/authorised, 404",
    "GET /v1/authorise/../sizing, 204",
    "GET /v1/%61uthorise, 404",
    "POST /v1/authorise/v1/filters/products/keys, 204"
  })
  void nothingElseIsReachedBeneathTheEndpoint(String request, int status) throws IOException {
    assertThat(status(send(server, request.split(" ")[0], request.split(" ")[1], "")))
        .isEqualTo(status);
  }

  @Test
  void theDeniedStatusIsThatOfTheSettings() throws IOException {
    String[] settings =
        Stream.concat(Stream.of(GATEWAY), Stream.of("bloomguard.gateway.denied-status=403"))
            .toArray(String[]::new);
    try (RunningServer forbidding = new RunningServer(settings)) {
      assertThat(status(send(forbidding, "GET", "/v1/authorise/api/products/43", "")))
          .isEqualTo(403);
    }
  }

  @Test
  void withoutRulesThereIsNoEndpoint() throws IOException {
    try (RunningServer plain = new RunningServer()) {
      assertThat(status(send(plain, "GET", "/v1/authorise/a", ""))).isEqualTo(404);
    }
  }

  @Test
  void aServerThatIsSwitchedOffLetsEverythingThrough() throws IOException {
    try (RunningServer off =
        new RunningServer(
            "bloomguard.enabled=false", "bloomguard.gateway.rules[0].pattern=/api/products/{id}")) {
      assertThat(status(send(off, "GET", "/v1/authorise/api/products/43", ""))).isEqualTo(204);
    }
  }

  @ParameterizedTest
  @CsvSource({"GATEWAY, 204", "OPERATOR, 204", "WRITER, 403"})
  void aSecuredServerAsksForARole(String role, int status) throws IOException {
    String[] settings =
        Stream.concat(
                Stream.of(GATEWAY),
                Stream.of(
                    "spring.profiles.active=secured",
                    "spring.security.user.password=secret",
                    "spring.security.user.roles=" + role))
            .toArray(String[]::new);
    String login =
        "Authorization: Basic "
            + Base64.getEncoder().encodeToString("operator:secret".getBytes(ISO_8859_1))
            + "\r\nOrigin: http://shop.example\r\n";
    try (RunningServer secured = new RunningServer(settings)) {
      String question = "/v1/authorise/other//a%2Fb;x=1/../c";
      assertThat(status(send(secured, "GET", question, ""))).isEqualTo(401);
      assertThat(status(send(secured, "GET", question, login))).isEqualTo(status);
      assertThat(status(send(secured, "POST", question, login))).isEqualTo(status);
      assertThat(status(send(secured, "PUT", "/v1/filters/products/keys", login))).isEqualTo(403);
      String byHeaders = login + headers("Original-URI", "GET /other");
      assertThat(status(send(secured, "GET", "/v1/authorise", byHeaders))).isEqualTo(status);
    }
  }

  /** Sends the path as it is; clients would normalize it. */
  private static String send(RunningServer to, String method, String target, String headers)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), to.port())) {
      String head = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
      socket.getOutputStream().write((head + "Connection: close\r\n\r\n").getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.substring(9, 12));
  }
}
