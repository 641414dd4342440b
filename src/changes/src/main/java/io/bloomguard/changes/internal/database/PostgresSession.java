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
 * <p>A position is a place in the log, such as {@code 7301…:00000001:3f2a…:23456789}: after the
 * identity of the log and the digest of what the feed requires, with which alone it counts.
 *
 * <p>The engine is given no position of its own: it would search for it within a transaction, and
 * pass over rows.
 */
final class PostgresSession implements LogSession {

  /** A publication that did not exist when a change was logged. */
  private static final String UNDEFINED = "42704";

  private final FollowedTable table;
  private final DatabaseAddress address;
  private final SqlSession sql;
  private final PostgresRequirements requirements;
  private PostgresRequirements.Published published =
      new PostgresRequirements.Published("", "", false, "", "");

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
    this.requirements = new PostgresRequirements(sql, address, table);
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
    published = requirements.check();
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
    if (slot != null && (published.made() || slot.text(4).equals("lost"))) {
      // The server cannot send its log, or has dropped it.
      forget();
      slot = null;
    }
    boolean made = slot == null;
    if (made) {
      sql.one("select pg_create_logical_replication_slot(?, 'pgoutput')", table.slot());
    }
    Row begun = usable(slot == null ? slot() : slot);
    long confirmed = begun.number(3);
    long applied = made ? -1 : applied(known);
    boolean continues = confirmed <= applied && applied <= begun.number(5);
    highest = continues ? applied : confirmed;
    return new Start(text(published.digest(), highest), continues, settings());
  }

  @Override
  public void forget() throws SQLException {
    Row slot = slot();
    if (slot != null) {
      usable(slot);
      sql.one("select pg_drop_replication_slot(?)", table.slot());
    }
  }

  private Row usable(@Nullable Row slot) {
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
    return slot;
  }

  /** The place of a position in this log, for a table that is as it was; -1 if it is another. */
  private long applied(@Nullable String known) {
    String here = text(published.digest(), 0);
    int end = here.length() - 1;
    return known != null
            && known.startsWith(here.substring(0, end))
            && known.substring(end).matches("\\d{1,18}")
        ? Long.parseLong(known.substring(end))
        : -1;
  }

  private String text(String digest, long place) {
    return published.log() + ":" + digest + ":" + place;
  }

  /**
   * The slot: whether it is one for us, whether it is read, its position, the state of its log, and
   * the end of the log.
   */
  private @Nullable Row slot() throws SQLException {
    return sql.first(
        "select plugin is not distinct from 'pgoutput' and database = current_database(), active,"
            + " confirmed_flush_lsn - '0/0', wal_status,"
            + " pg_current_wal_lsn() - '0/0' from pg_replication_slots"
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
  public boolean isGoneBy(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException refused && UNDEFINED.equals(refused.getSQLState())) {
        return true;
      }
    }
    return false;
  }

  @Override
  public @Nullable String altered() throws SQLException {
    String digest = requirements.digest();
    return digest.equals(published.digest()) ? null : text(digest, highest);
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
    return text(published.digest(), position);
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
    settings.setProperty(
        "table.include.list", EngineSettings.exactly(published.schema(), published.name()));
    settings.setProperty(
        "column.include.list",
        EngineSettings.columns(published.schema(), published.name(), table.key()));
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
