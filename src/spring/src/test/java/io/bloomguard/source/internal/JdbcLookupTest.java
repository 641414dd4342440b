package io.bloomguard.source.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.generation.KeySourceException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** On H2; the project src/it/collations asks MariaDB and PostgreSQL. */
class JdbcLookupTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final String UUID = "018f1d2e-7a8b-7c3d-9e4f-5a6b7c8d9e0f";

  private final Connection connection = open();
  private final DataSource dataSource = new SingleConnectionDataSource(connection, true);

  private static Connection open() {
    try {
      return DriverManager.getConnection("jdbc:h2:mem:lookup-" + DATABASES.incrementAndGet());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeEach
  void createTable() throws SQLException {
    execute(
        "create table item (id bigint, name varchar(40), \"od\"\"d\" varchar_ignorecase(9), ref"
            + " uuid)");
    execute("insert into item values (7, 'x42', 'Lamp', '" + UUID + "'), (8, 'lamp', 'A', null)");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private List<@Nullable Object> found(String query, String key) {
    RecordingSink sink = new RecordingSink();
    new JdbcKeySource(dataSource, query, 100, null, null, Duration.ofSeconds(60)).find(key, sink);
    return sink.keys;
  }

  @ParameterizedTest
  @CsvSource({
    "id, 7, 7",
    "id, 9,",
    "id, 007, 7",
    "id, ' 7', 7",
    "id, +7, 7",
    "id, seven,",
    "id, 99999999999999999999,",
    "name, x42, x42",
    "name, X42,",
    "\"od\"\"d\", lAMP, Lamp",
    "ref, " + UUID + ", " + UUID,
    "ref, 018F1D2E-7A8B-7C3D-9E4F-5A6B7C8D9E0F, " + UUID,
    "ref, none,"
  })
  void aLookupYieldsTheRowsOwnKey(String column, String key, @Nullable String own) {
    List<@Nullable Object> found = found("select " + column + " from item;", key);
    assertThat(found.stream().map(String::valueOf))
        .isEqualTo(own == null ? List.of() : List.of(own));
  }

  @Test
  void theQueryItselfStaysWhatItIs() {
    String query =
        "with live as (select id as \"Key\", name from item where id > 7) select \"Key\", name from"
            + " live union select 70, 'z' order by 1";
    assertThat(found(query, "08")).containsExactly(8L);
    assertThat(found(query, "70")).containsExactly(70L);
    assertThat(found(query, "7")).isEmpty();
  }

  @Test
  void aQueryMayEndWithAComment() {
    assertThat(found("select id from item -- all of them", "007")).containsExactly(7L);
  }

  @Test
  void aQueryThatNoOtherTakesInSaysSo() {
    assertThatThrownBy(() -> found("select id, id from item", "4711"))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("select id, id from item")
        .hasMessageNotContaining("4711");
  }

  @Test
  void withoutAConnectionThereIsNoAnswer() {
    DataSource gone =
        new DriverManagerDataSource("jdbc:h2:mem:nowhere;IFEXISTS=TRUE;FORBID_CREATION=TRUE");
    JdbcKeySource source =
        new JdbcKeySource(gone, "select id from item", 100, null, null, Duration.ofSeconds(60));
    assertThatThrownBy(() -> source.find("4711", new RecordingSink()))
        .isInstanceOf(KeySourceException.class)
        .hasMessageNotContaining("4711");
  }

  @Test
  void theConnectionGoesBackAsItCame() throws SQLException {
    assertThat(found("select id from item", "seven")).isEmpty();
    assertThat(connection.getAutoCommit()).isTrue();
    assertThat(connection.isReadOnly()).isFalse();
  }
}
