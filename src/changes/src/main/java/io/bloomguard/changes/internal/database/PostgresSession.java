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

  private static final String PERMISSION_DENIED = "42501";
  private static final String EXISTS = "42710";

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
    properties.setProperty("options", "-c idle_session_timeout=" + IDLE_SECONDS + "s");
    this.sql = new SqlSession(new org.postgresql.Driver(), address, properties);
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
    checkServer();
    Row found =
        sql.first(
            "select n.nspname, c.relname, c.relkind, c.relreplident, c.oid from pg_class c"
                + " join pg_namespace n on n.oid = c.relnamespace where c.oid = to_regclass(?)",
            table.table());
    if (found == null) {
      throw new UnreadyDatabaseException(
          "The database '" + address.database() + "' has no table '" + table.table() + "'",
          "Correct source.changes.table, such as public.products");
    }
    schema = found.text(1);
    name = found.text(2);
    checkIdentity(found.number(5), found.text(4));
    checkPublication(found.text(3).equals("p"));
  }

  private void checkServer() throws SQLException {
    Row server =
        sql.one(
            "select current_setting('wal_level'), pg_is_in_recovery(),"
                + " rolsuper or rolreplication or exists (select from pg_roles r"
                + " where r.rolname = 'rds_replication' and pg_has_role(r.oid, 'member')),"
                + " rolname from pg_roles where rolname = current_user");
    if (!server.text(1).equals("logical")) {
      throw new UnreadyDatabaseException(
          "wal_level of the database is '" + server.text(1) + "', but must be 'logical'",
          "Run: alter system set wal_level = logical; and restart PostgreSQL");
    }
    if (server.flag(2)) {
      throw new UnreadyDatabaseException(
          "The database is a standby, whose log takes no marks", "Use the address of the primary");
    }
    if (!server.flag(3)) {
      throw new UnreadyDatabaseException(
          "The user '" + server.text(4) + "' may not replicate",
          "Run as a superuser: alter role " + quoted(server.text(4)) + " replication;");
    }
  }

  /** A deletion has the columns of the replica identity alone. */
  private void checkIdentity(long oid, String identity) throws SQLException {
    List<String> columns =
        sql.texts(
            "select attname from pg_attribute where attrelid = ? and attnum > 0"
                + " and not attisdropped",
            oid);
    for (String column : table.key()) {
      if (!columns.contains(column)) {
        throw new UnreadyDatabaseException(
            "The table '" + table.table() + "' has no column '" + column + "'",
            "Correct source.changes.key");
      }
    }
    List<String> told =
        sql.texts(
            "select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid"
                + " and a.attnum = any (i.indkey) where i.indrelid = ?"
                + " and case ? when 'd' then i.indisprimary when 'i' then i.indisreplident end",
            oid,
            identity);
    if (!identity.equals("f") && !told.containsAll(table.key())) {
      throw new UnreadyDatabaseException(
          "The replica identity of '"
              + table.table()
              + "' lacks a column of the key "
              + table.key()
              + ", so that updates and deletions would not name it",
          "Run: alter table " + table.table() + " replica identity full;");
    }
  }

  private void checkPublication(boolean partitioned) throws SQLException {
    if (sql.first("select from pg_publication where pubname = ?", table.publication()) == null) {
      publish(partitioned);
    }
    Row publication =
        sql.one(
            "select pubinsert and pubupdate and pubdelete and pubtruncate from pg_publication"
                + " where pubname = ?",
            table.publication());
    if (!publication.flag(1)) {
      throw new UnreadyDatabaseException(
          "The publication '" + table.publication() + "' leaves out kinds of changes",
          "Run: alter publication "
              + quoted(table.publication())
              + " set (publish = 'insert, update, delete, truncate');");
    }
    Row published =
        sql.first(
            "select to_jsonb(t) ->> 'rowfilter' is null from pg_publication_tables t"
                + " where pubname = ? and schemaname = ? and tablename = ?",
            table.publication(),
            schema,
            name);
    if (published == null || !published.flag(1)) {
      throw new UnreadyDatabaseException(
          "The publication '"
              + table.publication()
              + "' has not all rows of '"
              + table.table()
              + "' under its name",
          "Run: "
              + (published == null ? "" : publicationOf("drop table") + " ")
              + publicationOf("add table")
              + (partitioned
                  ? " alter publication "
                      + quoted(table.publication())
                      + " set (publish_via_partition_root = true);"
                  : ""));
    }
  }

  private String publicationOf(String change) {
    return "alter publication "
        + quoted(table.publication())
        + " "
        + change
        + " "
        + table.table()
        + ";";
  }

  private void publish(boolean partitioned) throws SQLException {
    String create =
        "create publication "
            + quoted(table.publication())
            + " for table "
            + quoted(schema)
            + "."
            + quoted(name)
            + (partitioned ? " with (publish_via_partition_root = true)" : "");
    try {
      sql.run(create);
    } catch (SQLException e) {
      if (PERMISSION_DENIED.equals(e.getSQLState())) {
        throw new UnreadyDatabaseException(
            "There is no publication '"
                + table.publication()
                + "', and the user '"
                + address.user()
                + "' may not make it",
            "Run as the owner of the table, with the right to create in the database: "
                + create
                + ";");
      }
      if (!EXISTS.equals(e.getSQLState())) {
        throw e;
      }
    }
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
    settings.setProperty("driver.options", "-c wal_sender_timeout=" + IDLE_SECONDS + "s");
    return settings;
  }

  private static String quoted(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  @Override
  public void close() throws SQLException {
    sql.close();
  }
}
