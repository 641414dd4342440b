package io.bloomguard.source.internal;

import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.internal.confirm.ConfirmationFailedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A query with one parameter, the key: a row says that the key is listed.
 *
 * <p>The query runs on a connection of its own, outside of any transaction of the caller. It is
 * cancelled by {@code Statement.setQueryTimeout}, in full seconds, and a server that is silent for
 * longer costs the connection.
 */
public final class JdbcExactSource implements ExactSource {

  private static final Duration SLACK = Duration.ofSeconds(2);

  private final DataSource dataSource;
  private final String query;
  private final Duration timeout;

  /** Learned from the first statement; forgotten after a failure. */
  private volatile @Nullable KeyParameter parameter;

  /**
   * The keys for which {@code query} has a row.
   *
   * @param dataSource the database, of whose pool each call takes one connection
   * @param query an SQL query with one parameter, the key
   * @param timeout how long callers wait for an answer
   * @throws IllegalArgumentException if the number of the query's parameters is not 1
   */
  public JdbcExactSource(DataSource dataSource, String query, Duration timeout) {
    if (new SqlQuery(query).parameters() != 1) {
      throw new IllegalArgumentException("The query must have exactly one parameter");
    }
    this.dataSource = dataSource;
    this.query = query;
    this.timeout = timeout;
  }

  @Override
  public Duration timeout() {
    return timeout;
  }

  @Override
  public void ask(List<String> keys, Answers answers) throws ConfirmationFailedException {
    try (Connection connection = dataSource.getConnection();
        NetworkTimeout silence = NetworkTimeout.of(connection, timeout.plus(SLACK))) {
      try (PreparedStatement statement = connection.prepareStatement(query)) {
        ask(statement, keys, answers);
      } finally {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    } catch (SQLException e) {
      parameter = null;
      // Its message may hold the key.
      throw new ConfirmationFailedException(
          "the query [" + query + "] failed with SQL state " + e.getSQLState());
    }
  }

  private void ask(PreparedStatement statement, List<String> keys, Answers answers)
      throws SQLException {
    KeyParameter form = parameter;
    if (form == null) {
      form = KeyParameter.of(statement);
      parameter = form;
    }
    statement.setMaxRows(1);
    statement.setQueryTimeout(
        (int) Math.min(Integer.MAX_VALUE, timeout.plusMillis(999).toSeconds()));
    try {
      for (String key : keys) {
        boolean listed = form.bind(statement, key) && hasRow(statement);
        if (!answers.accept(key, listed)) {
          return;
        }
      }
    } finally {
      // H2 keeps it for the connection, which goes back to the application's pool.
      statement.setQueryTimeout(0);
    }
  }

  private static boolean hasRow(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      return rows.next();
    }
  }
}
