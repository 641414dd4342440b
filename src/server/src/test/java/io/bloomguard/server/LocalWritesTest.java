package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.catalina.connector.Connector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.mock.web.MockHttpServletRequest;

/** Without the profile {@code secured}, other machines may not write. */
class LocalWritesTest {

  private static final String NO_SECOND = "This machine has no address besides the loopback's";
  private static final String KEYS = "{\"keys\":[999999999]}";
  private static final String REBUILD = "{\"action\":\"rebuild\"}";

  /** A filter of its own: without one a server begins with 100,000 products. */
  private static final String CODES = "bloomguard.filters.codes.source.added-only=true";

  private static final Optional<InetAddress> SECOND = secondAddress();

  private static RunningServer server;

  /** The server's connector at that address. */
  private static Connector second;

  @BeforeAll
  static void start() {
    second = new Connector();
    second.setPort(0);
    SECOND.ifPresent(address -> second.setProperty("address", address.getHostAddress()));
    server =
        new RunningServer(
            context -> context.registerBean(AtBothAddresses.class, AtBothAddresses::new));
  }

  private static final class AtBothAddresses
      implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {
    @Override
    public void customize(TomcatServletWebServerFactory factory) {
      if (SECOND.isPresent()) {
        factory.addAdditionalConnectors(second);
      }
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /actuator/bloomfilters/products",
    "DELETE, /actuator/bloomfilters/products/rebuild",
    "POST, /v1/filters/products/keys",
    "DELETE, /v1/filters/products/keys",
    "POST, /v1/filters/products/found",
    "POST, /bloomguard/data/attack",
    "POST, //v1/filters/products/check",
    "PUT, /no/such/path"
  })
  void refusesWritesThatAProxyOnThisMachineForwards(String method, String path) throws Exception {
    HttpResponse<String> answer =
        server.send(
            server
                .request(path)
                .header("X-Forwarded-For", "203.0.113.7")
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(KEYS))
                .build());
    assertThat(problem(answer, 403)).contains("'secured'", "bloomguard.server.open-writes=true");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /actuator/bloomfilters/products",
    "GET, /api/products/42",
    "GET, /actuator/prometheus",
    "GET, /bloomguard/",
    "POST, /v1/filters/products/check"
  })
  void answersReadsAndChecksOfAnyMachine(String method, String path) throws Exception {
    HttpResponse<String> answer =
        server.send(
            server
                .request(path)
                .header("X-Forwarded-For", "203.0.113.7")
                .header("Content-Type", "application/json")
                .method(
                    method,
                    method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString(KEYS))
                .build());
    assertThat(answer.statusCode()).isEqualTo(200);
  }

  @Test
  void takesWritesOfItsOwnMachine() throws Exception {
    json(server.post("/v1/filters/products/keys", KEYS), 200);
    json(server.post("/actuator/bloomfilters/products", "{\"action\":\"rollback\"}"), 409);
  }

  /** The connection really comes from an address that is no loopback's. */
  @Test
  void refusesWritesThatReachItOverAnotherAddress() throws Exception {
    assumeTrue(SECOND.isPresent(), NO_SECOND);
    problem(reach(second.getLocalPort(), "/v1/filters/products/keys", KEYS), 403);
    problem(reach(second.getLocalPort(), "/actuator/bloomfilters/products", REBUILD), 403);
    json(reach(second.getLocalPort(), "/v1/filters/products/check", KEYS), 200);
    HttpRequest read = at(second.getLocalPort(), "/api/products/42").build();
    json(server.send(read), 200);
  }

  private static HttpResponse<String> reach(int port, String path, String body) throws Exception {
    return server.send(
        at(port, path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build());
  }

  /** A request to the second address. */
  private static HttpRequest.Builder at(int port, String path) {
    return HttpRequest.newBuilder(
        URI.create("http://" + SECOND.orElseThrow().getHostAddress() + ":" + port + path));
  }

  @ParameterizedTest
  @ValueSource(strings = {"framework", "native"})
  void believesNoHeaderThatClaimsToBeLocal(String strategy) throws Exception {
    String forwarding = "server.forward-headers-strategy=" + strategy;
    // No header comes to the management port, to which the strategy then makes no difference.
    try (RunningServer apart =
        new RunningServer(
            CODES,
            forwarding,
            "management.server.port=0",
            "management.server.address="
                + SECOND.map(InetAddress::getHostAddress).orElse("127.0.0.1"))) {
      for (String claim : new String[] {"203.0.113.7", "127.0.0.1, 203.0.113.7"}) {
        HttpRequest.Builder call =
            apart
                .request("/v1/filters/codes/keys")
                .header("X-Forwarded-For", claim)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(KEYS));
        problem(apart.send(call.build()), 403);
      }
      json(apart.post("/v1/filters/codes/keys", KEYS), 200);
      if (SECOND.isPresent()) {
        int port =
            apart
                .context()
                .getEnvironment()
                .getRequiredProperty("local.management.port", Integer.class);
        problem(reach(port, "/actuator/bloomfilters/codes", REBUILD), 403);
      }
    }
  }

  @Test
  void takesAllWritesWhereTheyAreOpen() throws Exception {
    assumeTrue(SECOND.isPresent(), NO_SECOND);
    try (RunningServer open =
        new RunningServer(
            CODES,
            "server.address=" + SECOND.orElseThrow().getHostAddress(),
            "bloomguard.server.open-writes=true")) {
      json(open.post("/v1/filters/codes/keys", KEYS), 200);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "127.0.0.1 | X-Forwarded-For | 127.0.0.1       | true",
        "127.0.0.1 | X-Forwarded-For | ::1, 127.0.0.9  | true",
        "::1       | Forwarded       | for=\"[::1]:47\";proto=https;by=203.0.113.1 | true",
        "127.0.0.1 | Forwarded       | for=127.0.0.1:80, for=203.0.113.7 | false",
        "127.0.0.1 | Forwarded       | for=unknown     | false",
        "127.0.0.1 | Forwarded       | for=\"[2001:db8::1]\" | false",
        "127.0.0.1 | X-Forwarded-For | localhost       | false",
        "127.0.0.1 | X-Forwarded-For | 127.0.0.1,      | false",
        "127.0.0.1 | X-Real-IP       | 203.0.113.7     | false",
        "203.0.113.7 | X-Real-IP     | 127.0.0.1       | false",
        "::ffff:127.0.0.1 | X-Real-IP | 127.0.0.1      | true",
      })
  void everyKnownAddressMustBeALoopbackAddress(
      String connection, String header, String value, boolean local) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setRemoteAddr(connection);
    request.addHeader(header, value);
    assertThat(LocalWrites.isLocal(request)).isEqualTo(local);
  }

  /** A page that the developer's browser shows, by its own name or one that it points here. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "localhost:8080     | -                            | -           | -",
        "LOCALHOST          | -                            | none        | -",
        "127.0.0.9:8080     | http://127.0.0.9:8080        | same-origin | -",
        "[::1]:8080         | http://[::1]:8080            | -           | -",
        "localhost:80       | http://localhost             | -           | -",
        "localhost          | https://localhost            | -           | -",
        "-                  | -                            | -           | -",
        "evil.example:8080  | -                            | -           | Host",
        "evil.example:8080  | http://evil.example:8080     | same-origin | Host",
        "localhost.evil.example | -                        | -           | Host",
        "127.0.0.1.evil.example | -                        | -           | Host",
        "192.0.2.1:8080     | -                            | -           | Host",
        "localhost:8080     | http://evil.example          | -           | Origin",
        "localhost:8080     | http://localhost:3000        | same-site   | Origin",
        "localhost:8080     | http://localhost:3000        | -           | Origin",
        "localhost:8080     | http://127.0.0.1:8080        | -           | Origin",
        "localhost:8080     | null                         | -           | Origin",
        "localhost:8080     | -                            | cross-site  | Origin",
        "-                  | http://localhost             | -           | Origin"
      })
  void aWriteIsAddressedToThisMachineAndFromNoOtherPage(
      @Nullable String host,
      @Nullable String origin,
      @Nullable String site,
      @Nullable String rule) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    addHeader(request, "Host", host);
    addHeader(request, "Origin", origin);
    addHeader(request, "Sec-Fetch-Site", site);
    if (rule == null) {
      assertThat(LocalWrites.brokenRule(request)).isNull();
    } else {
      assertThat(LocalWrites.brokenRule(request)).contains(rule);
    }
  }

  private static void addHeader(
      MockHttpServletRequest request, String name, @Nullable String value) {
    if (value != null) {
      request.addHeader(name, value);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /v1/filters/products/found, Host: evil.example:8080, Host",
    "POST, /v1/filters/products/found, Host: localhost\\r\\nOrigin: http://evil.example, Origin",
    "POST, /actuator/bloomfilters/products, Host: evil.example, Host",
    "DELETE, /actuator/bloomfilters/products/rebuild, Host: localhost\\r\\nOrigin: null, Origin",
    "POST, /bloomguard/data/attack, Host: localhost\\r\\nSec-Fetch-Site: cross-site, Origin"
  })
  void refusesWritesOfAForeignPageInABrowserOfThisMachine(
      String method, String path, String headers, String rule) throws Exception {
    String lines = headers.replace("\\r\\n", "\r\n");
    try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), server.port())) {
      String request =
          method + " " + path + " HTTP/1.1\r\n" + lines + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 403")
          .contains("'secured'", "this call's " + rule);
    }
  }

  private static Optional<InetAddress> secondAddress() {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
          .findFirst();
    } catch (SocketException e) {
      return Optional.empty();
    }
  }
}
