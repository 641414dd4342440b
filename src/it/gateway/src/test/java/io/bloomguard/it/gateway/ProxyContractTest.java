package io.bloomguard.it.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.bloomguard.it.support.Http;
import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.Program;
import io.bloomguard.it.support.ServerProcess;
import io.bloomguard.it.support.Wait;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A real proxy with the documented configuration, between clients and an upstream that counts:
 * absent keys cost it no request, and a server that is away costs nobody an answer.
 */
abstract class ProxyContractTest {

  private static final Path FILES = Path.of(System.getProperty("it.proxies"));

  private static ServerProcess server;

  private Upstream upstream;
  private Process proxy;
  private int port;

  /** Its name on the path, and in Debian. */
  abstract String program();

  /** The files of its configuration; the command names the first. */
  abstract List<String> files();

  abstract List<String> command(Path program, Path configuration);

  @BeforeAll
  static void start() throws Exception {
    server = server();
  }

  private static ServerProcess server() throws Exception {
    ServerProcess started =
        new ServerProcess(
            "server",
            List.of(
                "--bloomguard.filters.products.source.added-only=true",
                "--bloomguard.filters.products.verify.max-per-second=0",
                "--bloomguard.filters.listed.source.added-only=true",
                "--bloomguard.filters.listed.reject=present",
                "--bloomguard.filters.listed.on-unknown=closed",
                "--bloomguard.filters.closed.on-unknown=closed",
                "--bloomguard.gateway.rules[0].pattern=/api/products/{id}",
                "--bloomguard.gateway.rules[0].filter=products",
                "--bloomguard.gateway.rules[0].key=id",
                "--bloomguard.gateway.rules[1].pattern=/tokens/{id}",
                "--bloomguard.gateway.rules[1].filter=listed",
                "--bloomguard.gateway.rules[1].key=id",
                "--bloomguard.gateway.rules[1].type=long",
                "--bloomguard.gateway.rules[2].pattern=/closed/{id}",
                "--bloomguard.gateway.rules[2].filter=closed",
                "--bloomguard.gateway.rules[2].key=id"));
    Http.post(started.address().resolve("/v1/filters/products/keys"), "{\"keys\":[42,\"a b\"]}");
    Http.post(started.address().resolve("/v1/filters/listed/keys"), "{\"keys\":[7]}");
    return started;
  }

  @AfterAll
  static void stop() {
    server.end();
  }

  @BeforeEach
  void run() throws Exception {
    run(server.address().getAuthority());
  }

  /** The time limits are longer than the documented ones: a busy machine may need them. */
  private void run(String asked) throws Exception {
    Path program = Program.find(program()).map(Program::file).orElseGet(() -> missing(program()));
    upstream = new Upstream();
    port = Processes.freePort();
    Path folder = Files.createDirectories(Processes.folder().resolve(program()));
    for (String file : files()) {
      String text =
          Files.readString(FILES.resolve(file))
              .replace("127.0.0.1:8081", "127.0.0.1:" + upstream.port())
              .replace("127.0.0.1:8080", asked)
              .replace(":8000", ":" + port)
              .replaceAll("\\b(50|100)ms", "3s")
              .replace("seconds = 0.1", "seconds = 3");
      Files.writeString(folder.resolve(file), edited(text));
    }
    Path configuration = configured(folder, folder.resolve(files().get(0)));
    proxy =
        Processes.start(
            new ProcessBuilder(command(program, configuration))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile()));
    Wait.upTo(30, program() + " listens; see " + folder, () -> status("GET", "/ready") == 200);
  }

  /** The documented file, as a test has it. */
  String edited(String text) {
    return text;
  }

  /** The configuration that the program is started with. */
  Path configured(Path folder, Path file) throws IOException {
    return file;
  }

  private static Path missing(String program) {
    String what = program + " is not on the path (Debian: apt-get install " + program + ")";
    System.out.println("RESULT left out: " + what);
    if (Boolean.getBoolean("gateway.required")) {
      fail(what);
    }
    return abort(what);
  }

  @AfterEach
  void end() {
    if (proxy != null) {
      Processes.end(proxy);
    }
    if (upstream != null) {
      upstream.close();
    }
  }

  @Test
  void absentKeysCostTheUpstreamNothing() throws Exception {
    int before = upstream.asked();
    for (String path :
        List.of(
            "/api/products/43",
            "/api/products/43?id=42",
            "/api/products/43/",
            "//api//products/43",
            "/api/x/../products/43",
            "/api/x/%2e%2e/products/43",
            "/api%2Fproducts/43",
            "/api/products/43;x=1",
            "/api/products/%34%33")) {
      String answer = send("GET", path, "X-Original-URI: /other\r\nX-Original-Method: GET\r\n");
      assertThat(answer).as(path).startsWith("HTTP/1.1 404");
      assertThat(answer).contains("application/problem+json", "There is nothing with this key");
    }
    assertThat(status("HEAD", "/api/products/43")).isEqualTo(404);
    assertThat(upstream.asked()).isEqualTo(before);
  }

  /** A client's own header may cost it its answer, never the upstream a request. */
  @Test
  void headersOfTheClientDecideNothing() throws Exception {
    int before = upstream.asked();
    String forged = "X-Forwarded-Uri: /other\r\nX-Forwarded-Method: POST\r\n";
    assertThat(send("GET", "/api/products/43", forged)).startsWith("HTTP/1.1 404");
    assertThat(send("GET", "/api/products/43", forged.replace("Forwarded-Uri", "Original-URI")))
        .startsWith("HTTP/1.1 404");
    assertThat(upstream.asked()).isEqualTo(before);
  }

  @Test
  void otherRequestsArriveUnchanged() throws Exception {
    int before = upstream.asked();
    for (String request :
        List.of(
            "GET /api/products/42",
            "GET /api/products/42?q=1&r=%2F",
            "GET /api/products/42?q=" + "a".repeat(5_000),
            "GET /api/products/42;x=1",
            "GET /api/products/a%20b",
            "GET /files/a%2Fb",
            "DELETE /api/products/43",
            "GET /tokens/8")) {
      String[] parts = request.split(" ");
      assertThat(send(parts[0], parts[1], "")).as(request).contains(" 200 ", request);
    }
    String body = "key=43&more=" + "x".repeat(20_000);
    assertThat(send("POST", "/api/products/43", "", body)).endsWith("/api/products/43 " + body);
    String cookies = ("Cookie: c=" + "c".repeat(3_000) + "\r\n").repeat(3);
    assertThat(send("GET", "/api/products/42", cookies)).contains(" 200 ");
    assertThat(upstream.asked()).isEqualTo(before + 10);
  }

  @Test
  void blacklistedKeysAreRefused() throws Exception {
    int before = upstream.asked();
    for (String method : List.of("GET", "POST", "DELETE")) {
      assertThat(status(method, "/tokens/07")).isIn(403, 404);
    }
    assertThat(upstream.asked()).isEqualTo(before);
  }

  @Test
  void aClosedFilterThatCannotTellLetsNothingPass() throws Exception {
    int before = upstream.asked();
    assertThat(status("GET", "/closed/1")).isIn(403, 404);
    assertThat(status("GET", "/closed%2F1")).isIn(403, 404);
    assertThat(upstream.asked()).isEqualTo(before);
  }

  /** However long a request is, it is judged or refused. */
  @Test
  void aClientCannotChooseNotToBeJudged() throws Exception {
    int before = upstream.asked();
    for (int length : new int[] {3_000, 7_000, 8_100, 8_192, 12_000}) {
      String query = "?x=" + "a".repeat(length);
      assertThat(status("GET", "/tokens/7" + query)).isGreaterThanOrEqualTo(400);
      assertThat(status("GET", "/api/products/43" + query)).isGreaterThanOrEqualTo(400);
      String longer = ";x=" + "a".repeat(length);
      assertThat(status("GET", "/tokens/7" + longer)).isGreaterThanOrEqualTo(400);
      assertThat(status("GET", "/tokens" + "/.".repeat(length / 2) + "/7"))
          .isGreaterThanOrEqualTo(400);
    }
    assertThat(status("M".repeat(33), "/tokens/7")).isGreaterThanOrEqualTo(400);
    for (String header : List.of("Expect: 200-ok", "Connection: X-Forwarded-Uri, X-Original-URI")) {
      assertThat(send("GET", "/tokens/7", header + "\r\n")).doesNotStartWith("HTTP/1.1 2");
    }
    assertThat(upstream.asked()).isEqualTo(before);
  }

  /** 5xx is a server that is away; every other answer but 2xx is a refusal. */
  @Test
  void theServerIsToldThePathAloneAndPassesByItsAnswer() throws Exception {
    end();
    try (Answers answers = new Answers()) {
      run("127.0.0.1:" + answers.port());
      String headers = "Cookie: c=1\r\nAuthorization: Basic x\r\nAccept: text/html\r\n";
      for (int answer : new int[] {400, 401, 403, 404, 414, 431}) {
        int before = upstream.asked();
        String got = send("GET", "/a%2Fb/" + answer + "?status=500", headers);
        assertThat(got).as("" + answer).startsWith("HTTP/1.1 4");
        assertThat(upstream.asked()).isEqualTo(before);
      }
      for (int answer : new int[] {204, 500, 502, 503}) {
        assertThat(send("GET", "/a%2Fb/" + answer + "?q=1", headers))
            .as("" + answer)
            .contains(" 200 ", "GET /a%2Fb/" + answer + "?q=1");
      }
      assertThat(answers.asked()).contains("/a%2Fb/400").noneMatch(path -> path.contains("?"));
      assertThat(answers.headers())
          .doesNotContain("cookie", "authorization", "accept")
          .isNotEmpty();
    }
  }

  @Test
  void requestsGoOnWhenTheServerIsKilled() throws Exception {
    AtomicInteger answered = new AtomicInteger();
    AtomicBoolean killed = new AtomicBoolean();
    Callable<Set<Integer>> client =
        () -> {
          Set<Integer> statuses = new TreeSet<>();
          for (int after = 0; after < 20; after += killed.get() ? 1 : 0) {
            statuses.add(status("GET", "/api/products/" + (42 + answered.get() % 2)));
            answered.incrementAndGet();
          }
          return statuses;
        };
    ExecutorService clients = Executors.newFixedThreadPool(4);
    try {
      List<Future<Set<Integer>>> ends =
          Stream.generate(() -> clients.submit(client)).limit(4).toList();
      Wait.upTo(30, "Requests are under way", () -> answered.get() >= 100);
      server.kill();
      killed.set(true);
      for (Future<Set<Integer>> end : ends) {
        assertThat(end.get()).containsOnly(200, 404);
      }
      assertThat(send("GET", "/api/products/43", "")).contains(" 200 ", "GET /api/products/43");
      assertThat(send("POST", "/any", "", "body")).endsWith("POST /any body");
    } finally {
      killed.set(true);
      clients.shutdown();
      server = server();
    }
    System.out.println("RESULT " + program() + " lets requests pass when the server is killed");
  }

  @Test
  void requestsGoOnWithASlowServer() throws Exception {
    end();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      run("127.0.0.1:" + silent.getLocalPort());
      assertThat(send("GET", "/api/products/43", "")).contains(" 200 ", "GET /api/products/43");
    }
  }

  int asked() {
    return upstream.asked();
  }

  private int status(String method, String path) throws IOException {
    return Integer.parseInt(send(method, path, "").substring(9, 12));
  }

  private String send(String method, String path, String headers) throws IOException {
    return send(method, path, headers, "");
  }

  private String send(String method, String path, String headers, String body) throws IOException {
    return send(InetAddress.getLoopbackAddress(), method, path, headers, body);
  }

  /** Sends the path as it is, from an address; clients would normalize it. */
  String send(InetAddress from, String method, String path, String headers, String body)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port, from, 0)) {
      socket.setSoTimeout(30_000);
      String length = body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n";
      String head = method + " " + path + " HTTP/1.1\r\nHost: shop.example\r\n" + headers + length;
      socket
          .getOutputStream()
          .write((head + "Connection: close\r\n\r\n" + body).getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
