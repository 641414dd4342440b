package io.bloomguard.changes.internal.database;

import io.bloomguard.changes.internal.database.SqlSession.Row;
import java.sql.SQLException;

/** What a feed requires of a MariaDB: of its binary log, and of the user who reads it. */
final class MariaRequirements {

  private static final int ACCESS_DENIED = 1227;

  private final SqlSession sql;

  MariaRequirements(SqlSession sql) {
    this.sql = sql;
  }

  /** Checks them, and answers with the number of the server. */
  long check() throws SQLException {
    Row state =
        sql.one(
            "select @@log_bin, @@global.binlog_format, @@global.binlog_row_image, @@server_id,"
                + " current_user()");
    if (!state.flag(1)) {
      throw new UnreadyDatabaseException(
          "log_bin of the database is off, but the binary log must be written",
          "Start MariaDB with log_bin and a server_id");
    }
    require("binlog_format", state.text(2), "ROW");
    require("binlog_row_image", state.text(3), "FULL");
    checkRights(state.text(5));
    return state.number(4);
  }

  private static void require(String variable, String value, String needed) {
    if (!value.equals(needed)) {
      throw new UnreadyDatabaseException(
          variable + " of the database is '" + value + "', but must be '" + needed + "'",
          "Run: set global " + variable + " = '" + needed + "'; and set it in the server's file");
    }
  }

  private void checkRights(String user) throws SQLException {
    boolean reads;
    try {
      sql.first("show master status");
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
          "Run: grant replication slave, binlog monitor on *.* to " + account(user) + ";");
    }
  }

  private static String account(String user) {
    int at = user.lastIndexOf('@');
    return "'" + user.substring(0, at) + "'@'" + user.substring(at + 1) + "'";
  }
}
