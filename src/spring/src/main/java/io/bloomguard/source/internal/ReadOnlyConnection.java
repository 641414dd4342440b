package io.bloomguard.source.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A connection in a read-only transaction; it goes back in the modes in which it came. */
final class ReadOnlyConnection implements AutoCloseable {

  /**
   * The server may be silent for longer, so that a statement is cancelled before its connection.
   */
  private static final Duration SLACK = Duration.ofSeconds(5);

  /** The longest look at a catalogue. */
  private static final int ANSWER_SECONDS = 10;

  final Connection connection;
  final String product;
  private final int answerSeconds;
  private final NetworkTimeout networkTimeout;
  private final boolean readOnly;
  private final boolean autoCommit;

  /**
   * @param timeout the time for the next rows, and for an answer, which has ten seconds at most
   */
  ReadOnlyConnection(DataSource dataSource, Duration timeout) throws SQLException {
    connection = dataSource.getConnection();
    try {
      networkTimeout = NetworkTimeout.of(connection, timeout.plus(SLACK));
      product = connection.getMetaData().getDatabaseProductName();
      answerSeconds = (int) Math.max(1, Math.min(ANSWER_SECONDS, timeout.toSeconds()));
      readOnly = connection.isReadOnly();
      autoCommit = connection.getAutoCommit();
      // In this order: within a transaction the mode can no longer be changed.
      connection.setReadOnly(true);
      connection.setAutoCommit(false);
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  boolean isPostgres() {
    return product.equals(KeyQuery.POSTGRES);
  }

  /** What a question is answered with. */
  interface Answer<T> {
    @Nullable T of(ResultSet row) throws SQLException;
  }

  /**
   * The answer in the first row; null where there is none.
   *
   * @param parameter of the question; null for none
   */
  <T> @Nullable T ask(String sql, @Nullable Timestamp parameter, Answer<T> answer)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      if (parameter != null) {
        statement.setTimestamp(1, parameter);
      }
      statement.setQueryTimeout(answerSeconds);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? answer.of(rows) : null;
      } finally {
        // H2 keeps it for the connection, which goes back to the application's pool.
        statement.setQueryTimeout(0);
      }
    }
  }

  /** The answer as text. */
  @Nullable String ask(String sql) throws SQLException {
    return ask(sql, null, row -> row.getString(1));
  }

  void requireAllRows() throws SQLException {
    if (isPostgres()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(KeyQuery.ALL_ROWS);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    try (Connection back = connection) {
      back.rollback();
      back.setAutoCommit(autoCommit);
      back.setReadOnly(readOnly);
      networkTimeout.close();
    }
  }
}
