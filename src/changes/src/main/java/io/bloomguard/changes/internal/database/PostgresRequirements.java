package io.bloomguard.changes.internal.database;

import io.bloomguard.changes.internal.database.SqlSession.Row;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** What a feed requires of a PostgreSQL: of the server, the user, the table and the publication. */
final class PostgresRequirements {

  private static final String PERMISSION_DENIED = "42501";

  /** That it exists, and that another process makes it at the same moment. */
  private static final Set<String> EXISTS = Set.of("42710", "23505");

  private final SqlSession sql;
  private final DatabaseAddress address;
  private final FollowedTable table;
  private String schema = "";
  private String name = "";

  PostgresRequirements(SqlSession sql, DatabaseAddress address, FollowedTable table) {
    this.sql = sql;
    this.address = address;
    this.table = table;
  }

  /** Checks them, and makes a publication that is missing. */
  Published check() throws SQLException {
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
    return new Published(schema, name);
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
      if (!EXISTS.contains(e.getSQLState())) {
        throw e;
      }
    }
  }

  private static String quoted(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  /** The schema and the name of the table, as the catalog spells them. */
  record Published(String schema, String name) {}
}
