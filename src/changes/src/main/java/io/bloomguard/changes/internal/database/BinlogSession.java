package io.bloomguard.changes.internal.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.changes.internal.database.SqlSession.Row;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * A session at MariaDB or MySQL. The position is that of the binary log, which the server keeps for
 * as long as it is told to, whoever reads it.
 *
 * <p>A row of the log has no names of columns. The engine reads it by the columns that the table
 * has at the begin, so a position counts for as long as the columns are the same.
 */
final class BinlogSession implements LogSession {

  /** The server sends a sign of life in four fifths of this time. */
  private static final long SIGN_MILLIS = 1_000;

  /** Without a sign for so long, the engine's connection is lost. */
  static final Duration SILENCE = Duration.ofSeconds(20);

  private static final int FIRST_READER = 1 << 24;

  /** The statements by which rows come or go that the log does not have one by one. */
  private static final Pattern REPLACES =
      Pattern.compile(
          "\\b(create|replace|drop)\\s+table\\b|\\bdrop\\s+(database|schema)\\b"
              + "|\\brename\\b(?!\\s+(column|index|key)\\b)|\\btablespace\\b"
              + "|\\b(drop|truncate|exchange|convert)\\b.*\\bpartition\\b",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private final BinlogDialect dialect;
  private final FollowedTable table;
  private final DatabaseAddress address;
  private final SqlSession sql;
  private final String schema;
  private final String name;
  private BinlogRequirements.Server server = new BinlogRequirements.Server(0, "");

  /** Empty, which no position continues, once the log has shown that the rows were replaced. */
  private volatile String columns = "";

  private boolean reads;
  private volatile long heardAt;

  /** The end of the log at the last mark. */
  private @Nullable BinlogPosition end;

  BinlogSession(BinlogDialect dialect, DatabaseAddress address, FollowedTable table)
      throws SQLException {
    this.dialect = dialect;
    this.address = address;
    this.table = table;
    int point = table.table().indexOf('.');
    this.schema = point < 0 ? address.database() : table.table().substring(0, point);
    this.name = table.table().substring(point + 1);
    Properties properties = new Properties();
    properties.putAll(address.parameters());
    properties.setProperty("connectTimeout", millis(CONNECT_SECONDS));
    properties.setProperty("socketTimeout", millis(ANSWER_SECONDS));
    properties.setProperty("sessionVariables", "wait_timeout=" + IDLE_SECONDS);
    this.sql = new SqlSession(dialect.driver(), address, properties);
  }

  private static String millis(int seconds) {
    return String.valueOf(TimeUnit.SECONDS.toMillis(seconds));
  }

  @Override
  public void check() throws SQLException {
    server = new BinlogRequirements(dialect, sql).check();
    columns = columns();
  }

  /**
   * A digest of the columns, in their order, and of the time at which the table was made: another
   * one may have taken its name, or its server's place.
   */
  private String columns() throws SQLException {
    List<String> names =
        sql.texts(
            "select concat_ws(' ', column_name, column_type, character_set_name)"
                + " from information_schema.columns where table_schema = ? and table_name = ?"
                + " order by ordinal_position",
            schema,
            name);
    for (String column : table.key()) {
      if (names.stream().noneMatch(each -> each.startsWith(column + " "))) {
        throw new UnreadyDatabaseException(
            "The user '"
                + address.user()
                + "' sees no column '"
                + column
                + "' of the table '"
                + schema
                + "."
                + name
                + "'",
            "Correct source.changes.table and source.changes.key, or grant select on the table");
      }
    }
    String made =
        sql.one(
                "select max(unix_timestamp(create_time)) from information_schema.tables"
                    + " where table_schema = ? and table_name = ?",
                schema,
                name)
            .text(1);
    CRC32 digest = new CRC32();
    digest.update((String.join(",", names) + " " + made).getBytes(UTF_8));
    return Long.toHexString(digest.getValue());
  }

  @Override
  public boolean lease() throws SQLException {
    return !table.shared() || sql.one("select get_lock(?, 0)", table.slot()).flag(1);
  }

  @Override
  public Start start(@Nullable String known) throws SQLException {
    BinlogPosition position = BinlogPosition.parse(known);
    boolean continues = position != null && isThere(position);
    BinlogPosition begin = position != null && continues ? position : present();
    return new Start(begin.text(), continues, settings(begin));
  }

  private boolean isThere(BinlogPosition position) throws SQLException {
    if (position.server() != server.number() || !position.columns().equals(columns)) {
      return false;
    }
    Row file = null;
    for (Row each : sql.rows("show binary logs")) {
      file = each.text(1).equals(position.file()) ? each : file;
    }
    return file != null && file.number(2) >= position.offset() && dialect.has(position, sql);
  }

  /** The transactions are read first: the engine begins after them. */
  private BinlogPosition present() throws SQLException {
    String gtids = sql.one("select " + dialect.transactions).text(1);
    return dialect.committed(end(gtids), sql);
  }

  private BinlogPosition end(String gtids) throws SQLException {
    Row end = sql.one(server.endOfLog());
    return new BinlogPosition(end.text(1), end.number(2), gtids, server.number(), columns);
  }

  @Override
  public void confirm(Start start) throws SQLException {
    if (!columns().equals(columns)) {
      throw new UnreadyDatabaseException(
          "The table '" + schema + "." + name + "' was altered as the reading began",
          "The feed begins again by itself");
    }
    heardAt = System.nanoTime();
    reads = true;
  }

  @Override
  public boolean isGoneBy(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage());
      // The log was purged; or rows are of other columns than those that the table has.
      if (message.contains("Error code: 1236") || message.startsWith("Error processing")) {
        return true;
      }
    }
    return false;
  }

  /** The log tells of these statements, but not of the rows. */
  @Override
  public @Nullable String altered() throws SQLException {
    if (!columns.isEmpty()) {
      return null;
    }
    String now = columns();
    BinlogPosition begin = present();
    return new BinlogPosition(begin.file(), begin.offset(), begin.gtids(), begin.server(), now)
        .text();
  }

  /** Those at the begin, by which the engine makes the table known, count for nothing. */
  private static boolean replaces(SourceRecord record) {
    return record.value() instanceof Struct value
        && value.schema().field("ddl") != null
        && "false".equals(value.getStruct("source").get("snapshot"))
        && value.get("ddl") instanceof String statement
        && REPLACES.matcher(statement).find();
  }

  @Override
  public void mark(Consumer<Mark> due) throws SQLException {
    BinlogPosition now = end("");
    if (end != null && !now.hasReached(end)) {
      throw new UnreadyDatabaseException(
          "The binary log was reset as it was read", "The feed begins again by itself");
    }
    end = now;
    due.accept(record -> of(record).hasReached(now));
  }

  private BinlogPosition of(SourceRecord record) {
    return BinlogPosition.of(record.sourceOffset(), server.number(), columns);
  }

  @Override
  public void heard() {
    heardAt = System.nanoTime();
  }

  @Override
  public String position(SourceRecord record) {
    heard();
    if (replaces(record)) {
      columns = "";
    }
    return of(record).text();
  }

  @Override
  public OptionalLong keep() throws SQLException {
    if (reads && System.nanoTime() - heardAt > SILENCE.toNanos()) {
      throw new UnreadyDatabaseException(
          "The log has given no sign for " + SILENCE.toSeconds() + " seconds",
          "The feed begins again by itself");
    }
    sql.run("select 1");
    return OptionalLong.empty();
  }

  private Properties settings(BinlogPosition begin) {
    Properties settings = EngineSettings.of(address);
    int reader = ThreadLocalRandom.current().nextInt(FIRST_READER, Integer.MAX_VALUE);
    settings.setProperty("database.server.id", String.valueOf(reader));
    settings.setProperty("database.ssl.mode", dialect.sslMode(address.parameters()));
    settings.setProperty("database.include.list", EngineSettings.exactly(schema));
    settings.setProperty("table.include.list", EngineSettings.exactly(schema, name));
    settings.setProperty("column.include.list", EngineSettings.columns(schema, name, table.key()));
    settings.setProperty("snapshot.mode", "recovery");
    settings.setProperty("snapshot.locking.mode", "none");
    settings.setProperty("offset.storage", NotedOffsets.class.getName());
    settings.setProperty(NotedOffsets.SETTING, begin.json());
    settings.setProperty(
        "schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
    settings.setProperty("schema.history.internal.store.only.captured.tables.ddl", "true");
    settings.setProperty("include.schema.changes", "true");
    settings.setProperty("heartbeat.interval.ms", "300");
    settings.setProperty("connect.timeout.ms", millis(CONNECT_SECONDS));
    // A connection that it makes anew within a transaction has the engine tell of a position after
    // it.
    settings.setProperty("connect.keep.alive", "false");
    settings.setProperty("connect.keep.alive.interval.ms", String.valueOf(SIGN_MILLIS));
    settings.setProperty("driver.socketTimeout", millis(ANSWER_SECONDS));
    return settings;
  }

  @Override
  public void close() throws SQLException {
    sql.close();
  }
}
