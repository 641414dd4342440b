package io.bloomguard.changes.internal.database;

import io.bloomguard.changes.internal.database.SqlSession.Row;
import java.sql.SQLException;
import java.util.Set;

/**
 * What a feed requires of a PostgreSQL: of the server, the user, the table and the publication. The
 * log tells of no change of these, so one digest stands for all of them.
 */
final class PostgresRequirements {

  private static final String PERMISSION_DENIED = "42501";

  /** The table and all that lies below it; its number, and its link to the one above it. */
  private static final String TREE =
      "with recursive tree(oid, link) as (select to_regclass(?)::oid, '' union all"
          + " select i.inhrelid, concat_ws(' ', i.inhparent, i.xmin, i.inhdetachpending)"
          + " from tree join pg_inherits i on i.inhparent = tree.oid)";

  /**
   * Rows of the catalog by the transactions that wrote them, so that what was altered and altered
   * back differs. The type of a table is renamed and moved with it, and stays the same when the
   * table is truncated or rewritten. The log tells of a truncation, but not of one partition's. Nor
   * does it have what came while the table was not logged, which no table that a publication names
   * can be. A renamed label of an enum changes rows without a word in the log.
   */
  private static final String STATE =
      TREE
          + """
          select md5(string_agg(line, ',' order by line collate "C")) from (
            select concat_ws(' ', 't', c.oid, link, n.nspname, n.xmin, c.relname, c.relkind,
                c.relpersistence, c.relreplident, y.xmin,
                case when link = '' and exists (
                  select from pg_publication_rel where prrelid = c.oid)
                then 0 else c.relfilenode end) line
              from tree join pg_class c on c.oid = tree.oid
              join pg_namespace n on n.oid = c.relnamespace
              left join pg_type y on y.oid = c.reltype
            union all
            select concat_ws(' ', 'a', attnum, xmin) from pg_attribute
              where attrelid = to_regclass(?) and attnum > 0 and not attisdropped
            union all
            select concat_ws(' ', 'e', e.oid, e.enumlabel) from pg_attribute a
              join pg_enum e on e.enumtypid = a.atttypid where attrelid = to_regclass(?)
            union all
            select concat_ws(' ', 'i', i.indrelid, i.indkey, i.indisprimary)
              from tree join pg_index i on i.indrelid = tree.oid
              where i.indisprimary or i.indisreplident
            union all
            select concat_ws(' ', 'p', p.oid, p.xmin, r.oid, r.xmin%s) from pg_publication p
              left join pg_publication_rel r
                on r.prpubid = p.oid and r.prrelid in (select oid from tree)
              where p.pubname = ?) state\
          """;

  /** PostgreSQL 15 and newer. */
  private static final String SCHEMAS =
      ", (select string_agg(s.oid::text, ' ' order by s.oid) from pg_publication_namespace s"
          + " where s.pnpubid = p.oid)";

  /** That it exists, and that another process makes it at the same moment. */
  private static final Set<String> EXISTS = Set.of("42710", "23505");

  private static final String PUBLICATION = "select from pg_publication where pubname = ?";

  private static final int SCHEMAS_SINCE = 150_000;

  private final SqlSession sql;
  private final DatabaseAddress address;
  private final FollowedTable table;
  private String schema = "";
  private String name = "";

  /** The question for the digest. */
  private String state = "";

  PostgresRequirements(SqlSession sql, DatabaseAddress address, FollowedTable table) {
    this.sql = sql;
    this.address = address;
    this.table = table;
  }

  /** Checks them, and makes a publication that is missing. */
  Published check() throws SQLException {
    Row server = checkServer();
    checkTypes();
    Row found =
        sql.first(
            "select n.nspname, c.relname, c.relkind from pg_class c"
                + " join pg_namespace n on n.oid = c.relnamespace where c.oid = to_regclass(?)",
            table.table());
    if (found == null) {
      throw new UnreadyDatabaseException(
          "The database '" + address.database() + "' has no table '" + table.table() + "'",
          "Correct source.changes.table, such as public.products");
    }
    schema = found.text(1);
    name = found.text(2);
    boolean partitioned = found.text(3).equals("p");
    boolean made = false;
    if (sql.first(PUBLICATION, table.publication()) == null) {
      checkTable();
      made = publish(partitioned);
    }
    state = String.format(STATE, server.number(5) < SCHEMAS_SINCE ? "" : SCHEMAS);
    // Before the checks: what changes after one gives another digest.
    String digest = digest();
    checkTable();
    checkPublication(partitioned);
    return new Published(schema, name, made, log(), digest);
  }

  /** The identity of the log: that of the server's data, and the timeline. */
  private String log() throws SQLException {
    try {
      Row log =
          sql.one(
              "select system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"
                  + " from pg_control_system()");
      return log.text(1) + ":" + log.text(2);
    } catch (SQLException e) {
      if (!PERMISSION_DENIED.equals(e.getSQLState())) {
        throw e;
      }
      throw new UnreadyDatabaseException(
          "The user '" + address.user() + "' may not ask for the identity of the log",
          "Run as a superuser: grant execute on function pg_control_system(),"
              + " pg_walfile_name(pg_lsn) to "
              + quoted(address.user())
              + ";");
    }
  }

  /** The digest of all that is required of table and publication, at this moment. */
  String digest() throws SQLException {
    String name = table.table();
    return sql.one(state, name, name, name, table.publication()).text(1);
  }

  private Row checkServer() throws SQLException {
    Row server =
        sql.one(
            "select current_setting('wal_level'), pg_is_in_recovery(),"
                + " rolsuper or rolreplication or exists (select from pg_roles r"
                + " where r.rolname = 'rds_replication' and pg_has_role(r.oid, 'member')),"
                + " rolname, current_setting('server_version_num')"
                + " from pg_roles where rolname = current_user");
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
    return server;
  }

  /** The engine reads the labels of all of the database's enums at its begin, and fails at none. */
  private void checkTypes() throws SQLException {
    Row type =
        sql.first(
            "select format_type(oid, null) from pg_type where typcategory = 'E'"
                + " and oid not in (select enumtypid from pg_enum) limit 1");
    if (type != null) {
      throw new UnreadyDatabaseException(
          "The type '"
              + type.text(1)
              + "' is a domain over an enum, or an enum without labels, and Debezium cannot read"
              + " any table of a database with one",
          "Use the enum itself for its columns and drop the domain, or use a source.recent-query"
              + " in place of source.changes");
    }
  }

  private void checkTable() throws SQLException {
    checkParts();
    checkColumns();
    checkIdentity();
  }

  /** Rows of a child, and of a part that is logged elsewhere or nowhere, are not told of. */
  private void checkParts() throws SQLException {
    Row part =
        sql.first(
            TREE
                + " select c.oid::regclass, c.relispartition from tree"
                + " join pg_class c on c.oid = tree.oid where link <> '' and not (c.relispartition"
                + " and c.relkind in ('r', 'p') and c.relpersistence = 'p') limit 1",
            table.table());
    if (part != null && part.flag(2)) {
      throw new UnreadyDatabaseException(
          "The partition '"
              + part.text(1)
              + "' of '"
              + table.table()
              + "' is a foreign or an unlogged table, whose rows are not in the log",
          "Detach it, or make it a logged table of this database");
    }
    if (part != null) {
      throw new UnreadyDatabaseException(
          "The table '"
              + table.table()
              + "' has the child '"
              + part.text(1)
              + "' by inheritance, whose rows the log does not tell of as rows of '"
              + table.table()
              + "'",
          "Make the children partitions, or use a source.recent-query in place of source.changes");
    }
  }

  private void checkColumns() throws SQLException {
    for (String column : table.key()) {
      Row found =
          sql.first(
              "select attgenerated <> '' from pg_attribute where attrelid = to_regclass(?)"
                  + " and attname = ? and attnum > 0 and not attisdropped",
              table.table(),
              column);
      if (found == null) {
        throw new UnreadyDatabaseException(
            "The table '" + table.table() + "' has no column '" + column + "'",
            "Correct source.changes.key");
      }
      if (found.flag(1)) {
        throw new UnreadyDatabaseException(
            "The column '"
                + column
                + "' of '"
                + table.table()
                + "' is generated, and the log does not have generated columns",
            "Name other columns in source.changes.key, or run: alter table "
                + table.table()
                + " alter column "
                + quoted(column)
                + " drop expression;");
      }
    }
  }

  /** A deletion has the columns of the replica identity alone, that of its partition. */
  private void checkIdentity() throws SQLException {
    Row lacking =
        sql.first(
            TREE
                + " select c.oid::regclass from tree join pg_class c on c.oid = tree.oid"
                + " where c.relreplident <> 'f' and not ?::text[] <@ array("
                + "select a.attname::text from pg_index i join pg_attribute a"
                + " on a.attrelid = i.indrelid and a.attnum = any (i.indkey)"
                + " where i.indrelid = c.oid"
                + " and case c.relreplident when 'd' then i.indisprimary"
                + " when 'i' then i.indisreplident end) order by link limit 1",
            table.table(),
            table.key().toArray(String[]::new));
    if (lacking != null) {
      throw new UnreadyDatabaseException(
          "The replica identity of '"
              + lacking.text(1)
              + "' lacks a column of the key "
              + table.key()
              + ", so that updates and deletions would not name it",
          "Run: alter table " + lacking.text(1) + " replica identity full;");
    }
  }

  private void checkPublication(boolean partitioned) throws SQLException {
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
            "select to_jsonb(t) ->> 'rowfilter' is null"
                + " and coalesce(to_jsonb(t) -> 'attnames' @> to_jsonb(?::text[]), true)"
                + " from pg_publication_tables t"
                + " where pubname = ? and schemaname = ? and tablename = ?",
            table.key().toArray(String[]::new),
            table.publication(),
            schema,
            name);
    if (published == null || !published.flag(1)) {
      throw new UnreadyDatabaseException(
          "The publication '"
              + table.publication()
              + "' does not have all rows, with the columns of the key, of '"
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

  /** Whether this has made it, and not another process at the same moment. */
  private boolean publish(boolean partitioned) throws SQLException {
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
      return true;
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
      return false;
    }
  }

  private static String quoted(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  /**
   * A table that has them.
   *
   * @param schema its schema, as the catalog spells it
   * @param name its name, as the catalog spells it
   * @param made whether the publication was made just now: what is logged before cannot be read
   * @param log the identity of the log
   * @param digest of what is required of table and publication
   */
  record Published(String schema, String name, boolean made, String log, String digest) {}
}
