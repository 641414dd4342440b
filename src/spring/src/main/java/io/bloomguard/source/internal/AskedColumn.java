package io.bloomguard.source.internal;

import java.sql.SQLException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A column of a key query, as a driver and its database describe it before a row is read. */
interface AskedColumn {

  /** The name of the database, as its drivers tell it. */
  String product() throws SQLException;

  /** The database's name of its type, in lower case. */
  String type() throws SQLException;

  /** Whether its values are text, which alone has more than one way to be compared. */
  boolean isText() throws SQLException;

  /** Whether its texts have a fixed length. */
  boolean isChar() throws SQLException;

  /** Whether the driver names no table that the column is of. */
  boolean isExpression() throws SQLException;

  /** Whether the driver takes it for one that tells upper and lower case apart. */
  boolean isCaseSensitive() throws SQLException;

  /** The first column of the answer to any question; null where there is no row. */
  @Nullable String ask(String sql) throws SQLException;

  /**
   * The answer to a question about the column.
   *
   * @param sql has {@code %s} where the column stands, as a subquery without rows
   */
  @Nullable String askAbout(String sql) throws SQLException;

  /** The column in PostgreSQL, as a subquery without rows. */
  static String subquery(String query, int index) {
    String names =
        IntStream.rangeClosed(1, index).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
    return "(select c" + index + " from (" + query + ") t(" + names + ") limit 0)";
  }
}
