package io.bloomguard.changes.internal.database;

import io.bloomguard.changes.internal.database.SqlSession.Row;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The products that have a binary log, and what each spells in its own way. */
enum BinlogDialect {
  /**
   * MariaDB. It counts a transaction in once it is logged, which semi-synchronous replication makes
   * seconds before the commit. A snapshot knows where those that are committed end.
   */
  MARIADB("MariaDB", "@@server_id", "@@gtid_binlog_pos", "binlog monitor", List.of()) {
    @Override
    Driver driver() {
      return new org.mariadb.jdbc.Driver();
    }

    @Override
    String endOfLog(String version) {
      return "show master status";
    }

    @Override
    BinlogPosition committed(BinlogPosition logged, SqlSession sql) throws SQLException {
      sql.run("start transaction with consistent snapshot");
      String file = sql.one("show status like 'binlog_snapshot_file'").text(2);
      long offset = sql.one("show status like 'binlog_snapshot_position'").number(2);
      sql.run("commit");
      return logged.at(file, offset, "").hasReached(logged)
          ? logged
          // It reads the file.
          : logged.at(file, offset, sql.one("select binlog_gtid_pos(?, ?)", file, offset).text(1));
    }

    /** Its servers have no identity of their own, so the next transaction shows it. */
    @Override
    boolean has(BinlogPosition position, SqlSession sql) throws SQLException {
      Row next;
      try {
        next =
            sql.first(
                "show binlog events in '"
                    + position.file()
                    + "' from "
                    + position.offset()
                    + " limit 1");
      } catch (SQLException e) {
        if (e.getErrorCode() != NO_EVENT) {
          throw e;
        }
        return false;
      }
      if (next == null) {
        return position.isAfter(sql.one("select " + transactions).text(1));
      }
      Matcher gtid = GTID.matcher(next.text(6));
      return gtid.find()
          ? position.isBefore(Long.parseLong(gtid.group(1)), Long.parseUnsignedLong(gtid.group(2)))
          : OF_FILES.contains(next.text(3));
    }

    @Override
    String sslMode(Map<String, String> parameters) {
      return parameters.getOrDefault("sslMode", "disable");
    }
  },

  /** MySQL. It counts a transaction in once it is committed. */
  MYSQL(
      "MySQL",
      "crc32(@@server_uuid)",
      "replace(@@global.gtid_executed, '\\n', '')",
      "replication client",
      List.of(
          new Variable(
              "gtid_mode",
              "ON",
              "set global enforce_gtid_consistency = 'ON'; set global gtid_mode = 'OFF_PERMISSIVE';"
                  + " set global gtid_mode = 'ON_PERMISSIVE'; set global gtid_mode = 'ON'"),
          // The engine passes over updates of a part of a document.
          new Variable("binlog_row_value_options", ""))) {
    @Override
    Driver driver() throws SQLException {
      return new com.mysql.cj.jdbc.Driver();
    }

    @Override
    String endOfLog(String version) {
      return version.matches("8\\.[01]\\..*") ? "show master status" : "show binary log status";
    }

    @Override
    BinlogPosition committed(BinlogPosition logged, SqlSession sql) {
      return logged;
    }

    @Override
    boolean has(BinlogPosition position, SqlSession sql) {
      return true;
    }

    @Override
    String sslMode(Map<String, String> parameters) {
      String usual = "false".equals(parameters.get("useSSL")) ? "disabled" : "preferred";
      return parameters.getOrDefault("sslMode", usual).toLowerCase(Locale.ROOT);
    }
  };

  /** There is no event at the offset. */
  private static final int NO_EVENT = 1220;

  /** The events between transactions. */
  private static final Set<String> OF_FILES =
      Set.of("Format_desc", "Gtid_list", "Binlog_checkpoint", "Start_encryption", "Rotate", "Stop");

  private static final Pattern GTID = Pattern.compile("GTID (\\d+)-\\d+-(\\d+)");

  final String product;

  /** The number of a server. */
  final String server;

  /** The transactions so far. */
  final String transactions;

  /** The privilege to ask for the end of the log. */
  final String privilege;

  /** What is required beside the format of rows. */
  final List<Variable> required;

  BinlogDialect(
      String product,
      String server,
      String transactions,
      String privilege,
      List<Variable> required) {
    this.product = product;
    this.server = server;
    this.transactions = transactions;
    this.privilege = privilege;
    this.required = required;
  }

  abstract Driver driver() throws SQLException;

  /** The statement that tells the end of the log. */
  abstract String endOfLog(String version);

  /**
   * The position before which every transaction is committed.
   *
   * @param logged the transactions so far, and an end of the log after them
   */
  abstract BinlogPosition committed(BinlogPosition logged, SqlSession sql) throws SQLException;

  /**
   * Whether a position is one of this server's log.
   *
   * @param position a position in one of its files, of a server with its number
   */
  abstract boolean has(BinlogPosition position, SqlSession sql) throws SQLException;

  /** The engine's name of the TLS that the data source has. */
  abstract String sslMode(Map<String, String> parameters);

  /**
   * A variable of the server.
   *
   * @param name its name
   * @param value the value that it must have
   * @param statement what sets it, without the last semicolon
   */
  record Variable(String name, String value, String statement) {
    Variable(String name, String value) {
      this(name, value, "set global " + name + " = '" + value + "'");
    }
  }
}
