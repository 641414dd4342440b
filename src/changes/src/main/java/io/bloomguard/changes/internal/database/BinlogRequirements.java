package io.bloomguard.changes.internal.database;

import io.bloomguard.changes.internal.database.BinlogDialect.Variable;
import io.bloomguard.changes.internal.database.SqlSession.Row;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** What a feed requires of a binary log, and of the user who reads it. */
final class BinlogRequirements {

  private static final int ACCESS_DENIED = 1227;

  private static final List<Variable> ROWS =
      List.of(new Variable("binlog_format", "ROW"), new Variable("binlog_row_image", "FULL"));

  private final BinlogDialect dialect;
  private final SqlSession sql;

  BinlogRequirements(BinlogDialect dialect, SqlSession sql) {
    this.dialect = dialect;
    this.sql = sql;
  }

  /** Checks them, and answers with the number of the server and the statement for its end. */
  Server check() throws SQLException {
    String version = sql.one("select version()").text(1);
    checkProduct(version);
    Row state = sql.one("select @@log_bin, current_user(), " + dialect.server);
    if (!state.flag(1)) {
      throw new UnreadyDatabaseException(
          "log_bin of the database is off, but the binary log must be written",
          "Start " + dialect.product + " with log_bin and a server_id");
    }
    for (Variable variable : Stream.concat(ROWS.stream(), dialect.required.stream()).toList()) {
      checkVariable(variable);
    }
    String endOfLog = dialect.endOfLog(version);
    checkRights(state.text(2), endOfLog);
    return new Server(state.number(3), endOfLog);
  }

  /** MariaDB's driver connects to MySQL, and the other way round. */
  private void checkProduct(String version) {
    BinlogDialect found =
        version.contains(BinlogDialect.MARIADB.product)
            ? BinlogDialect.MARIADB
            : BinlogDialect.MYSQL;
    if (found != dialect) {
      throw new UnreadyDatabaseException(
          "The address of the data source is one of "
              + dialect.product
              + ", but the server is "
              + found.product
              + " "
              + version,
          "Use the driver and the address of "
              + found.product
              + ", or read the changes from: kafka");
    }
  }

  private void checkVariable(Variable variable) throws SQLException {
    String value = sql.one("select @@global." + variable.name()).text(1);
    if (!value.equals(variable.value())) {
      throw new UnreadyDatabaseException(
          variable.name()
              + " of the database is '"
              + value
              + "', but must be '"
              + variable.value()
              + "'",
          "Run: " + variable.statement() + "; and set it in the server's file");
    }
  }

  private void checkRights(String user, String endOfLog) throws SQLException {
    boolean reads;
    try {
      sql.first(endOfLog);
      reads =
          sql.texts("show grants").stream()
              .anyMatch(
                  grant ->
                      grant.contains(" ON *.* ")
                          && (grant.contains("REPLICATION SLAVE")
                              || grant.contains("ALL PRIVILEGES")));
    } catch (SQLException e) {
      if (e.getErrorCode() != ACCESS_DENIED) {
        throw e;
      }
      reads = false;
    }
    if (!reads) {
      throw new UnreadyDatabaseException(
          "The user '" + user + "' may not read the binary log",
          "Run: grant replication slave, "
              + dialect.privilege
              + " on *.* to "
              + account(user)
              + ";");
    }
  }

  private static String account(String user) {
    int at = user.lastIndexOf('@');
    return "'" + user.substring(0, at) + "'@'" + user.substring(at + 1) + "'";
  }

  /**
   * A server that has them.
   *
   * @param number the number of the server
   * @param endOfLog the statement that tells the end of its log
   */
  record Server(long number, String endOfLog) {}
}
