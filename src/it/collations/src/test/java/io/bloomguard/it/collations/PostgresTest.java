package io.bloomguard.it.collations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.source.internal.ComparedColumn;
import io.bloomguard.source.internal.JdbcKeySource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The types and collations of a real PostgreSQL. */
class PostgresTest {

  private static EmbeddedPostgres server;
  private static DataSource dataSource;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedPostgres.builder().start();
    dataSource = server.getPostgresDatabase();
    execute("create extension citext");
    execute("create domain login as citext");
    execute("create type state as enum ('a', 'b')");
    execute(
        "create collation level2 (provider = icu, locale = 'und-u-ks-level2',"
            + " deterministic = false)");
    execute("create collation level3 (provider = icu, locale = 'und', deterministic = false)");
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

  private static Stream<Column> columns() {
    return Stream.of(
        of("`text`, `varchar(n)`", "text", "exact.none.none"),
        of("`text`, `varchar(n)`", "varchar(8)", "exact.none.none"),
        of("`text` of a deterministic collation", "text collate \"und-x-icu\"", "exact.none.none"),
        of("`char(n)`", "char(8)", "exact.trailing.none"),
        of("`citext`", "citext", "lower.none.none"),
        of("`citext`", "login", "lower.none.none"),
        of("a collation that is not deterministic", "text collate level2", null),
        of("a collation that is not deterministic", "text collate level3", null));
  }

  private static Column of(String name, String definition, String keys) {
    return new Column("PostgreSQL", name, definition, keys, Column.ALL);
  }

  @ParameterizedTest
  @MethodSource("columns")
  void aRowOfTheTableHolds(Column column) throws Exception {
    column.holds(dataSource);
  }

  /** A role without any right is told of the system too. */
  @Test
  void theIdentityOfASourceHasTheSystem() throws Exception {
    execute("create role bare login");
    String superuser = identity(dataSource);
    assertThat(superuser).matches("postgres/public/\\d{15,}");
    assertThat(identity(server.getDatabase("bare", "postgres"))).isEqualTo(superuser);
    assertThat(identity(server.getDatabase("bare", "template1"))).isNotEqualTo(superuser);
  }

  private static String identity(DataSource of) throws Exception {
    return new JdbcKeySource(of, "select 1", 10, null, null, Duration.ofSeconds(10)).identity();
  }

  /** Of a collation that is not deterministic it is known whether it ignores case. */
  @Test
  void trustDoesNotCoverCase() throws Exception {
    of("a collation that is not deterministic", "text collate level2", null).holds(dataSource);
    assertThatThrownBy(() -> Column.read(dataSource, "exact.none.none", true))
        .hasMessageContaining("keys.case=lower");
    of("a collation that is not deterministic", "text collate level3", null).holds(dataSource);
    Column.read(dataSource, "exact.none.none", true);
  }

  /** The role of an application sees the rows of one tenant; those of others would be rejected. */
  @Test
  void aTableOfWhichRowSecurityHidesRowsIsRefused() throws Exception {
    execute("create table document (id bigint, tenant text)");
    execute("insert into document values (1, 'a'), (2, 'b')");
    execute("alter table document enable row level security");
    execute("create policy one on document using (tenant = 'a')");
    execute("create role app login");
    execute("grant select on document to app");
    ComparedColumn all =
        new ComparedColumn("bloomguard.filters.docs", "jdbc", KeyFolding.EXACT, false, false);
    DataSource app = server.getDatabase("app", "postgres");
    assertThatThrownBy(() -> Column.read(app, "select id from document order by id", all))
        .hasMessageContaining("42501")
        .hasMessageContaining("row security");
    assertThat(Column.read(dataSource, "select id from document order by id", all)).hasSize(2);
    // No subquery can be made of it, so its collation cannot be asked for.
    String commented = "select tenant from document -- all of them";
    ComparedColumn trusted =
        new ComparedColumn("bloomguard.filters.docs", "jdbc", KeyFolding.EXACT, true, false);
    assertThatThrownBy(() -> Column.read(app, commented, trusted)).hasMessageContaining("42501");
    assertThat(Column.read(dataSource, commented, trusted)).hasSize(2);
  }

  /** The driver tells its schema with it. */
  @Test
  void aCitextOutsideOfTheSearchPathIsKnown() throws Exception {
    execute("create table people (name citext)");
    DataSource elsewhere =
        server.getDatabase("postgres", "postgres", Map.of("currentSchema", "pg_catalog"));
    ComparedColumn exact =
        new ComparedColumn("bloomguard.filters.people", "jdbc", KeyFolding.EXACT, false, false);
    assertThatThrownBy(() -> Column.read(elsewhere, "select name from public.people", exact))
        .hasMessageContaining("keys.case=lower");
  }

  /** lower() of a citext is text, by which rows are not looked up. */
  @Test
  void anExpressionIsTrustedOrRefused() throws Exception {
    execute("drop table if exists users");
    execute("create table users (id uuid, n bigint, name citext, s state)");
    execute("insert into users values (gen_random_uuid(), 7, 'Admin', 'a')");
    ComparedColumn exact =
        new ComparedColumn("bloomguard.filters.users", "jdbc", KeyFolding.EXACT, false, false);
    ComparedColumn trusted =
        new ComparedColumn("bloomguard.filters.users", "jdbc", KeyFolding.EXACT, true, false);
    for (String query : List.of("select lower(name) from users", "select name::text from users")) {
      assertThatThrownBy(() -> Column.read(dataSource, query, exact))
          .hasMessageContaining("expression");
      assertThat(Column.read(dataSource, query, trusted)).hasSize(1);
    }
    for (String column : List.of("id", "n", "s")) {
      assertThat(Column.read(dataSource, "select " + column + " from users", exact)).hasSize(1);
    }
    ComparedColumn lower =
        new ComparedColumn(
            "bloomguard.filters.users", "jdbc", KeyFolding.parse("lower.none.none"), false, false);
    assertThat(Column.read(dataSource, "select name from users", lower)).containsExactly("Admin");
  }
}
