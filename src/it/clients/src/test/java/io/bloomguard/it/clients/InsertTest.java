package io.bloomguard.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.bloomguard.it.support.Http;
import io.bloomguard.it.support.Processes;
import io.bloomguard.it.support.ServerProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The examples of programs that insert a row, on a real PostgreSQL: a key enters the filter before
 * its row is visible, and without its key there is no row.
 */
class InsertTest {

  private static EmbeddedPostgres postgres;
  private static ServerProcess server;

  /** Stands between the examples and the server. */
  private static HttpServer door;

  private static volatile boolean closed;

  /** The rows that another connection saw when the last add came; -1 for no add. */
  private static volatile long seen;

  /** The example in a language. */
  enum Language {
    PHP,
    TYPESCRIPT,
    GO,
    PYTHON;

    /** The process that inserts a product of that name, yet to be started. */
    private ProcessBuilder insert(String name) throws Exception {
      return switch (this) {
        case PHP ->
            Languages.process(
                Languages.program("php", "php-cli").file(),
                "php-cli php-pgsql",
                List.of("-r", "exit(extension_loaded('pdo_pgsql') ? 0 : 1);"),
                List.of("php/insert.php", name));
        case TYPESCRIPT ->
            Languages.program("node", "nodejs")
                .builder(Languages.typescript(), List.of("build/insert.js", name));
        case GO ->
            Languages.process(
                Languages.program("go", "golang-go").file(),
                "golang-go golang-github-lib-pq-dev",
                List.of("list", "github.com/lib/pq"),
                List.of("run", "go/insert.go", name));
        case PYTHON ->
            // Debian's library is that of Debian's Python, which may not be the first on the path.
            Languages.process(
                Path.of("/usr/bin/python3"),
                "python3 python3-psycopg2",
                List.of("-c", "import psycopg2"),
                List.of("python/insert.py", name));
      };
    }

    private String database() {
      return this == PHP
          ? "pgsql:host=127.0.0.1;dbname=postgres;user=postgres;port=" + postgres.getPort()
          : "postgres://postgres@127.0.0.1:" + postgres.getPort() + "/postgres?sslmode=disable";
    }
  }

  @BeforeAll
  static void start() throws Exception {
    postgres = EmbeddedPostgres.start();
    execute(
        "create table products (id bigint generated always as identity primary key, name text);"
            + "insert into products (name) select 'Old lamp' from generate_series(1, 100)");
    server =
        new ServerProcess(
            "inserts",
            List.of(
                "--spring.profiles.active=secured",
                "--spring.security.user.password=secret",
                "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                "--spring.datasource.username=postgres",
                "--bloomguard.filters.products.source.jdbc.query=select id from products",
                "--bloomguard.filters.products.warm-up.mode=blocking"));
    server.address();
    door = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    door.createContext("/", InsertTest::pass);
    door.start();
  }

  @AfterAll
  static void stop() throws Exception {
    if (door != null) {
      door.stop(0);
    }
    if (server != null) {
      server.close();
    }
    postgres.close();
  }

  @BeforeEach
  void open() {
    closed = false;
    seen = -1;
  }

  private static void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      seen = number("select count(*) from products where name like '%new lamp'");
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (closed) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      HttpResponse<String> answer =
          call(exchange.getRequestURI().getPath(), new String(body, StandardCharsets.UTF_8));
      byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange
          .getResponseHeaders()
          .set("Content-Type", answer.headers().firstValue("Content-Type").orElse("text/plain"));
      exchange.sendResponseHeaders(answer.statusCode(), bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  private static HttpResponse<String> call(String path, String body) throws IOException {
    try {
      return Http.send(
          HttpRequest.newBuilder(server.address().resolve(path))
              .header("Content-Type", "application/json")
              .header("Authorization", ClientsTest.AUTHORIZATION)
              .POST(BodyPublishers.ofString(body)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKeyIsAddedBeforeItsRowIsVisible(Language language) throws Exception {
    execute("delete from products where name like '%new lamp'");
    String name = language + " new lamp";

    assertThat(insert(language, name)).isZero();

    assertThat(seen).isZero();
    long id = number("select id from products where name = '" + name + "'");
    assertThat(call("/v1/filters/products/check", "{\"keys\":[1," + id + ",999999999]}").body())
        .isEqualTo("{\"results\":[\"POSSIBLY_PRESENT\",\"POSSIBLY_PRESENT\",\"ABSENT\"]}");
    System.out.println("RESULT " + language + " adds the key of a row before its commit");
  }

  @ParameterizedTest
  @EnumSource
  void withoutItsKeyThereIsNoRow(Language language) throws Exception {
    closed = true;

    assertThat(insert(language, "No lamp")).isNotZero();

    assertThat(seen).isNotNegative();
    assertThat(number("select count(*) from products where name = 'No lamp'")).isZero();
  }

  private static int insert(Language language, String name) throws Exception {
    ProcessBuilder insert = language.insert(name);
    insert.environment().put("DATABASE", language.database());
    insert.environment().put("BLOOMGUARD_URL", "http://127.0.0.1:" + door.getAddress().getPort());
    insert.environment().put("BLOOMGUARD_AUTHORIZATION", ClientsTest.AUTHORIZATION);
    Process process = Processes.start(insert);
    System.out.print(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    return process.waitFor();
  }

  private static long number(String query) throws SQLException {
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      assertThat(result.next()).isTrue();
      return result.getLong(1);
    }
  }

  private static void execute(String statements) throws SQLException {
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(statements);
    }
  }
}
