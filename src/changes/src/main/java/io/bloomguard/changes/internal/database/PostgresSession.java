package io.bloomguard.changes.internal.database;

import io.bloomguard.changes.internal.database.SqlSession.Row;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * A session at PostgreSQL. The slot is the position: the server sends everything that was committed
 * after what the slot has confirmed, and one session alone may read it. The engine confirms a
 * change after the filter has its position, so a slot that has confirmed more than the filter has
 * is another one.
 *
 * <p>The engine is given no position of its own: it would search for it within a transaction, and
 * pass over rows.
 */
final class PostgresSession implements LogSession {

  private final FollowedTable table;
  private final DatabaseAddress address;
  private final SqlSession sql;

  /** The schema and the name of the table, as the catalog spells them. */
  private String schema = "";

  private String name = "";

  /** The highest position of a record, which are not in its order. */
  private volatile long highest;

  PostgresSession(DatabaseAddress address, FollowedTable table) throws SQLException {
    this.address = address;
    this.table = table;
    Properties properties = new Properties();
    properties.putAll(address.parameters());
    properties.putAll(limits());
    properties.setProperty("options", options("idle_session_timeout"));
    this.sql = new SqlSession(new org.postgresql.Driver(), address, properties);
  }

  /** Those of the address, and the end of a connection that gives no sign. */
  private String options(String timeout) {
    String own = address.parameters().getOrDefault("options", "");
    return own + " -c " + timeout + "=" + IDLE_SECONDS + "s";
  }

  private static Properties limits() {
    Properties limits = new Properties();
    limits.setProperty("connectTimeout", String.valueOf(CONNECT_SECONDS));
    limits.setProperty("socketTimeout", String.valueOf(ANSWER_SECONDS));
    limits.setProperty("ApplicationName", "bloomguard");
    return limits;
  }

  @Override
  public void check() throws SQLException {
    PostgresRequirements.Published published =
        new PostgresRequirements(sql, address, table).check();
    schema = published.schema();
    name = published.name();
  }

  @Override
  public boolean lease() throws SQLException {
    return sql.one(
            "select pg_try_advisory_lock(hashtextextended(?, 0))", "bloomguard " + table.slot())
        .flag(1);
  }

  @Override
  public Start start(@Nullable String known) throws SQLException {
    Row slot = slot();
    if (slot != null && slot.text(4).equals("lost")) {
      // The server has dropped its log, so it keeps nothing any more.
      sql.one("select pg_drop_replication_slot(?)", table.slot());
      slot = null;
    }
    if (slot == null) {
      sql.one("select pg_create_logical_replication_slot(?, 'pgoutput')", table.slot());
      slot = slot();
    }
    if (slot == null || !slot.flag(1)) {
      throw new UnreadyDatabaseException(
          "The slot '" + table.slot() + "' is one of another database, or of another plugin",
          "Set source.changes.slot to the name of a slot of pgoutput in this database, or to a new"
              + " name");
    }
    if (slot.flag(2)) {
      throw new UnreadyDatabaseException(
          "The slot '" + table.slot() + "' is being read by another session",
          "The feed begins once that session has ended");
    }
    long confirmed = slot.number(3);
    long applied = known == null || !known.matches("\\d{1,18}") ? -1 : Long.parseLong(known);
    boolean continues = confirmed <= applied;
    highest = continues ? applied : confirmed;
    return new Start(String.valueOf(highest), continues, settings());
  }

  /** The slot: whether it is one for us, whether it is read, its position, the state of its log. */
  private @Nullable Row slot() throws SQLException {
    return sql.first(
        "select plugin is not distinct from 'pgoutput' and database = current_database(), active,"
            + " confirmed_flush_lsn - '0/0', wal_status from pg_replication_slots"
            + " where slot_name = ?",
        table.slot());
  }

  /** A slot that is missing at the begin would be made silently. */
  @Override
  public void confirm(Start start) throws SQLException {
    Row slot = slot();
    if (slot == null || slot.number(3) > highest) {
      throw new UnreadyDatabaseException(
          "The slot '" + table.slot() + "' was dropped as its reading began",
          "The feed begins again by itself");
    }
  }

  @Override
  public void mark(Consumer<Mark> due) throws SQLException {
    String content = UUID.randomUUID().toString();
    due.accept(record -> content.equals(content(record)));
    sql.one("select pg_logical_emit_message(false, ?, ?)", table.slot(), content);
  }

  private static @Nullable String content(SourceRecord record) {
    return record.value() instanceof Struct value
            && value.schema().field("message") != null
            && value.getStruct("message").get("content") instanceof ByteBuffer bytes
        ? StandardCharsets.UTF_8.decode(bytes.duplicate()).toString()
        : null;
  }

  @Override
  public String position(SourceRecord record) {
    long position = highest;
    for (String part : List.of("lsn", "lsn_proc", "lsn_commit")) {
      if (record.sourceOffset().get(part) instanceof Long lsn) {
        position = Math.max(position, lsn);
      }
    }
    highest = position;
    return String.valueOf(position);
  }

  @Override
  public OptionalLong keep() throws SQLException {
    Row slot =
        sql.first(
            "select pg_current_wal_lsn() - restart_lsn from pg_replication_slots"
                + " where slot_name = ?",
            table.slot());
    return slot == null ? OptionalLong.empty() : OptionalLong.of(slot.number(1));
  }

  private Properties settings() {
    Properties settings = EngineSettings.of(address);
    settings.setProperty("database.dbname", address.database());
    settings.setProperty("plugin.name", "pgoutput");
    settings.setProperty("slot.name", table.slot());
    settings.setProperty("publication.name", table.publication());
    settings.setProperty("publication.autocreate.mode", "disabled");
    settings.setProperty("table.include.list", EngineSettings.exactly(schema, name));
    settings.setProperty("column.include.list", EngineSettings.columns(schema, name, table.key()));
    settings.setProperty("message.prefix.include.list", EngineSettings.exactly(table.slot()));
    settings.setProperty("snapshot.mode", "no_data");
    settings.setProperty(
        "offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    settings.setProperty("status.update.interval.ms", "1000");
    settings.setProperty("slot.max.retries", "0");
    String mode = address.parameters().get("sslmode");
    if (mode != null) {
      settings.setProperty("database.sslmode", mode);
    }
    limits().forEach((name, value) -> settings.put("driver." + name, value));
    // A reader whose machine is gone keeps its slot for no longer.
    settings.setProperty("driver.options", options("wal_sender_timeout"));
    return settings;
  }

  @Override
  public void close() throws SQLException {
    sql.close();
  }
}
