package io.bloomguard.server;

import static io.bloomguard.server.RunningServer.json;
import static io.bloomguard.server.RunningServer.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** Without the profile {@code secured}, other machines may not write. */
class LocalWritesTest {

  private static final String KEYS = "{\"keys\":[999999999]}";

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
    InetAddress second = secondAddress();
    try (RunningServer reached = new RunningServer("server.address=" + second.getHostAddress())) {
      problem(reached.post("/v1/filters/products/keys", KEYS), 403);
      problem(reached.post("/actuator/bloomfilters/products", "{\"action\":\"rebuild\"}"), 403);
      json(reached.post("/v1/filters/products/check", KEYS), 200);
      json(reached.get("/api/products/42"), 200);
    }
  }

  @Test
  void refusesThemOnAManagementPortOfItsOwnToo() throws Exception {
    InetAddress second = secondAddress();
    try (RunningServer reached =
        new RunningServer(
            "management.server.port=0", "management.server.address=" + second.getHostAddress())) {
      String port = reached.context().getEnvironment().getProperty("local.management.port");
      HttpRequest call =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://"
                          + second.getHostAddress()
                          + ":"
                          + port
                          + "/actuator/bloomfilters/products"))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString("{\"action\":\"rollback\"}"))
              .build();
      problem(reached.send(call), 403);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server.forward-headers-strategy=framework",
        "server.forward-headers-strategy=native"
      })
  void believesNoHeaderThatClaimsToBeLocal(String strategy) throws Exception {
    try (RunningServer forwarding = new RunningServer(strategy)) {
      for (String claim : new String[] {"203.0.113.7", "127.0.0.1, 203.0.113.7"}) {
        HttpRequest.Builder call =
            forwarding
                .request("/v1/filters/products/keys")
                .header("X-Forwarded-For", claim)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(KEYS));
        problem(forwarding.send(call.build()), 403);
      }
      json(forwarding.post("/v1/filters/products/keys", KEYS), 200);
    }
  }

  @Test
  void takesAllWritesWhereTheyAreOpen() throws Exception {
    InetAddress second = secondAddress();
    try (RunningServer open =
        new RunningServer(
            "server.address=" + second.getHostAddress(), "bloomguard.server.open-writes=true")) {
      json(open.post("/v1/filters/products/keys", KEYS), 200);
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

  private static InetAddress secondAddress() throws Exception {
    Optional<InetAddress> second =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
            .findFirst();
    assumeTrue(second.isPresent(), "This machine has no address besides the loopback's");
    return second.orElseThrow();
  }
}
