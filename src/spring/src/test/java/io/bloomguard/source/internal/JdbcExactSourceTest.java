package io.bloomguard.source.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.internal.confirm.ConfirmationFailedException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** On H2; the project src/it/collations asks the same of PostgreSQL. */
class JdbcExactSourceTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final String UUID = "018f1d2e-7a8b-7c3d-9e4f-5a6b7c8d9e0f";

  private final Connection connection = open();
  private final DataSource dataSource = new SingleConnectionDataSource(connection, true);

  private static Connection open() {
    try {
      return DriverManager.getConnection("jdbc:h2:mem:exact-" + DATABASES.incrementAndGet());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeEach
  void createTable() throws SQLException {
    execute(
        "create table revoked (id bigint, small int, name varchar(40), code numeric(30,0), ref"
            + " uuid)");
    execute(
        "insert into revoked values (7, 7, 'x42', 123456789012345678901234567890, '" + UUID + "')");
    execute("insert into revoked values (-9223372036854775808, -1, '42', 42, null)");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  @ParameterizedTest
  @CsvSource({
    "id, 7, true",
    "id, 8, false",
    "id, -9223372036854775808, true",
    "id, 9223372036854775808, false",
    "id, 07, false",
    "id, seven, false",
    "small, 7, true",
    "small, 9223372036854775807, false",
    "name, 42, true",
    "name, x42, true",
    "name, 7, false",
    "code, 123456789012345678901234567890, true",
    "code, 42, true",
    "code, 42.0, false",
    "ref, " + UUID + ", true",
    "ref, 018f1d2e-7a8b-7c3d-9e4f-5a6b7c8d9e00, false",
    "ref, none, false"
  })
  void aKeyIsComparedAsTheColumnIs(String column, String key, boolean listed) throws Exception {
    assertThat(ask(column, key)).containsExactly(key + "=" + listed);
  }

  private List<String> ask(String column, String... keys) throws Exception {
    List<String> answers = new ArrayList<>();
    source("select 1 from revoked where " + column + " = ?")
        .ask(
            List.of(keys),
            (key, listed) -> {
              answers.add(key + "=" + listed);
              return true;
            });
    return answers;
  }

  private JdbcExactSource source(String query) {
    return new JdbcExactSource(dataSource, query, Duration.ofSeconds(30));
  }

  @Test
  void manyKeysAreAnsweredInTurn() throws Exception {
    assertThat(ask("id", "1", "7", "x", "2"))
        .containsExactly("1=false", "7=true", "x=false", "2=false");
  }

  @Test
  void noFurtherKeyIsAskedForThanIsWaitedFor() throws Exception {
    List<String> answered = new ArrayList<>();
    source("select 1 from revoked where id = ?")
        .ask(
            List.of("1", "2", "3"),
            (key, listed) -> {
              answered.add(key);
              return answered.size() < 2;
            });
    assertThat(answered).containsExactly("1", "2");
  }

  @Test
  void aFailureTellsTheQueryAndNoKey() {
    JdbcExactSource source = source("select 1 from nowhere where id = ?");

    assertThatThrownBy(() -> source.ask(List.of("4711"), (key, listed) -> true))
        .isInstanceOf(ConfirmationFailedException.class)
        .hasNoCause()
        .hasMessageContaining("select 1 from nowhere where id = ?")
        .hasMessageContaining("42S02")
        .hasMessageNotContaining("4711");
  }

  @Test
  void theTypeIsLearnedAgainAfterAFailure() throws Exception {
    JdbcExactSource source = source("select 1 from revoked where name = ?");
    List<Boolean> answers = new ArrayList<>();
    source.ask(List.of("42"), (key, listed) -> answers.add(listed));
    execute("alter table revoked drop column name");
    assertThatThrownBy(() -> source.ask(List.of("42"), (key, listed) -> true))
        .isInstanceOf(ConfirmationFailedException.class);
    execute("alter table revoked add column name bigint");
    execute("update revoked set name = 42 where id = 7");

    source.ask(List.of("42", "x"), (key, listed) -> answers.add(listed));

    assertThat(answers).containsExactly(true, true, false);
  }

  @Test
  void theConnectionGoesBackWithoutATimeLimitOrTransaction() throws Exception {
    connection.setAutoCommit(false);
    ask("id", "7");
    try (Statement statement = connection.createStatement()) {
      assertThat(statement.getQueryTimeout()).isZero();
    }
    assertThat(connection.getAutoCommit()).isFalse();
  }

  @Test
  void aQueryHasOneParameter() {
    assertThatThrownBy(() -> source("select 1 from revoked"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> source("select 1 from revoked where id = ? or small = ?"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
