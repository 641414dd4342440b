package io.bloomguard.it.collations;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.source.internal.JdbcExactSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exact source of a blacklist on a real PostgreSQL, which compares no bigint with text. */
class PostgresConfirmationTest {

  private static final String UUID = "018f1d2e-7a8b-7c3d-9e4f-5a6b7c8d9e0f";

  private static EmbeddedPostgres server;
  private static DataSource dataSource;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedPostgres.builder().start();
    dataSource = server.getPostgresDatabase();
    execute("create extension citext");
    execute("create type state as enum ('a', 'b')");
    execute(
        "create table revoked (id bigint, short smallint, code numeric(30,0), name text,"
            + " fixed char(8), mail citext, ref uuid, state state)");
    execute(
        "insert into revoked values (7, 7, 123456789012345678901234567890, '42', 'x', 'Bob', '"
            + UUID
            + "', 'a')");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  private static void execute(String sql) throws Exception {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "id, 7, true",
    "id, 8, false",
    "id, 9223372036854775808, false",
    "id, seven, false",
    "short, 7, true",
    "short, 9223372036854775807, false",
    "code, 123456789012345678901234567890, true",
    "code, 7, false",
    "name, 42, true",
    "name, 7, false",
    "lower(name), 42, true",
    "fixed, x, true",
    "mail, bob, true",
    "mail, alice, false",
    "ref, " + UUID + ", true",
    "ref, 018f1d2e-7a8b-7c3d-9e4f-5a6b7c8d9e00, false",
    "ref, none, false",
    "state, a, true",
    "state, b, false"
  })
  void aKeyIsComparedAsTheColumnIs(String column, String key, boolean listed) throws Exception {
    JdbcExactSource source =
        new JdbcExactSource(
            dataSource, "select 1 from revoked where " + column + " = ?", Duration.ofSeconds(30));
    List<Boolean> answers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      source.ask(List.of(key), (asked, answer) -> answers.add(answer));
    }
    assertThat(answers).containsExactly(listed, listed);
  }
}
