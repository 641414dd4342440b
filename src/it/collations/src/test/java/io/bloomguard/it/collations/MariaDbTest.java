package io.bloomguard.it.collations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.KeySource;
import io.bloomguard.it.support.MariaDb;
import io.bloomguard.source.internal.ComparedColumn;
import io.bloomguard.source.internal.JdbcKeySource;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The collations of a real MariaDB. */
@ExtendWith(OutputCaptureExtension.class)
class MariaDbTest {

  private static MariaDb server;
  private static DataSource dataSource;

  @BeforeAll
  static void start() {
    server = new MariaDb();
    dataSource = new DriverManagerDataSource(server.url("texts"), "root", "");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  private static Stream<Column> columns() {
    return Stream.of(
        of("utf8mb4_bin", "exact.trailing.none"),
        of("utf8mb4_nopad_bin", "exact.none.none"),
        of("utf8mb4_general_ci", null),
        of("utf8mb4_unicode_ci", null),
        of("utf8mb4_uca1400_ai_ci", null),
        of("utf8mb4_uca1400_as_ci", null),
        of("utf8mb4_uca1400_as_cs", null),
        of("latin1_bin", "exact.trailing.none"),
        of("latin1_nopad_bin", "exact.none.none"),
        of("latin1_general_ci", "lower.trailing.none"),
        of("latin1_general_cs", "exact.trailing.none"),
        of("latin1_swedish_ci", null),
        of("latin1_german1_ci", null),
        of("ascii_bin", "exact.trailing.none"),
        of("ascii_general_ci", "lower.trailing.none"),
        of("ascii_general_nopad_ci", "lower.none.none"));
  }

  private static Column of(String collation, String keys) {
    String set = collation.substring(0, collation.indexOf('_'));
    int last = set.equals("ascii") ? 0x7e : set.equals("latin1") ? 0xff : Column.ALL;
    String definition = "varchar(8) character set " + set + " collate " + collation;
    return new Column("MariaDB", "`" + collation + "`", definition, keys, last);
  }

  @ParameterizedTest
  @MethodSource("columns")
  void aRowOfTheTableHolds(Column column) throws Exception {
    column.holds(dataSource);
  }

  @Test
  void aCharPadsWhateverItsCollation() throws Exception {
    new Column(
            "MariaDB",
            "`char(n)`",
            "char(8) collate utf8mb4_nopad_bin",
            "exact.trailing.none",
            Column.ALL)
        .holds(dataSource);
  }

  /**
   * As a URL with Connector/J's serverTimezone has it: the driver converts, the session does not.
   */
  @Test
  void aDriverInAnotherZoneThanTheSessionIsWarnedOf(CapturedOutput output) {
    readRecent(server.url("texts"));
    assertThat(output).doesNotContain("disagree");
    readRecent(
        server.url("texts")
            + "&connectionTimeZone=+08:00&forceConnectionTimeZoneToSession=false"
            + "&preserveInstants=true");
    assertThat(output).containsOnlyOnce("disagree on the time zone").contains("no recent row");
  }

  private static void readRecent(String url) {
    DataSource from = new DriverManagerDataSource(url, "root", "");
    JdbcKeySource source =
        new JdbcKeySource(
            from,
            "select 1 as id",
            100,
            "select 1 as id from dual where now() >= ?",
            null,
            Duration.ofSeconds(60));
    for (int reading = 0; reading < 2; reading++) {
      source.forEachRecent(
          Instant.now(),
          new KeySource.KeySink() {
            @Override
            public void accept(Object key) {}

            @Override
            public void accept(long key) {}
          });
    }
  }

  /** Rows are looked up by the column and not by the expression. */
  @Test
  void anExpressionIsTrustedOrRefused() throws Exception {
    of("utf8mb4_nopad_bin", "exact.none.none").holds(dataSource);
    String query = "select concat(c, 'x') from texts where p < 200";
    ComparedColumn column =
        new ComparedColumn("bloomguard.filters.users", "jdbc", KeyFolding.EXACT, false, false);
    assertThatThrownBy(() -> Column.read(dataSource, query, column))
        .hasMessageContaining("expression");
    Column.read(
        dataSource,
        query,
        new ComparedColumn("bloomguard.filters.users", "jdbc", KeyFolding.EXACT, true, false));
  }

  @Test
  void trustDoesNotCoverCaseAndSpaces() throws Exception {
    of("utf8mb4_general_ci", null).holds(dataSource);
    assertThatThrownBy(() -> Column.read(dataSource, "exact.none.none", true))
        .hasMessageContaining("keys.case=lower")
        .hasMessageContaining("keys.trim=trailing")
        .hasMessageNotContaining("trust-collation");
    Column.read(dataSource, "lower.trailing.none", true);
  }
}
