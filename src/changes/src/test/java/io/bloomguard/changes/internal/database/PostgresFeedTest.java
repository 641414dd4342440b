package io.bloomguard.changes.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.Change;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A feed from the log of a real PostgreSQL. In real time: an engine polls its log, and a reader
 * that ended is begun again, at intervals.
 */
@Tag("waits")
class PostgresFeedTest extends LogFeedContractTest {

  private static EmbeddedPostgres first;
  private static EmbeddedPostgres other;

  /** The one to which the feed's address leads. */
  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() throws Exception {
    first = started();
    other = started();
    server = first;
    isAt(server.getPort());
  }

  private static EmbeddedPostgres.Builder builder() {
    return EmbeddedPostgres.builder()
        .setServerConfig("wal_level", "logical")
        .setServerConfig("fsync", "off");
  }

  private static EmbeddedPostgres started() throws Exception {
    return prepared(builder().start());
  }

  private static EmbeddedPostgres prepared(EmbeddedPostgres started) throws SQLException {
    run(
        started.getJdbcUrl("postgres", "postgres"),
        "create role reader login replication",
        "grant create on database postgres to reader",
        "grant create on schema public to reader");
    return started;
  }

  @AfterAll
  static void stop() throws Exception {
    first.close();
    other.close();
  }

  @BeforeEach
  void giveTable() throws SQLException {
    sql("alter table " + table + " owner to reader");
  }

  @Override
  @AfterEach
  protected void closeFeeds() throws Exception {
    super.closeFeeds();
    lose();
    if (server != first) {
      leadTo(first);
      lose();
    }
  }

  private static void leadTo(EmbeddedPostgres one) {
    server = one;
    proxy.leadTo(one.getPort());
  }

  @Override
  protected void replace() throws Exception {
    leadTo(other);
    makeTable();
    giveTable();
  }

  @Override
  protected void outgrow() throws Exception {
    EmbeddedPostgres shorter = server == first ? other : first;
    while (end(server).compareTo(end(shorter)) <= 0) {
      sql("select pg_logical_emit_message(true, 'noise', '')", "select pg_switch_wal()");
    }
  }

  private static BigDecimal end(EmbeddedPostgres of) {
    return Objects.requireNonNull(
        new JdbcTemplate(of.getPostgresDatabase())
            .queryForObject("select pg_current_wal_lsn() - '0/0'", BigDecimal.class));
  }

  @Override
  String url(int by) {
    return "jdbc:postgresql://127.0.0.1:" + by + "/postgres";
  }

  @Override
  String writer() {
    return server.getJdbcUrl("postgres", "postgres");
  }

  @Override
  String schema() {
    return "public";
  }

  /** The server notices the end of a connection soon after it. */
  @Override
  protected void lose() {
    await()
        .ignoreExceptions()
        .untilAsserted(
            () ->
                sql(
                    "select pg_drop_replication_slot(slot_name) from pg_replication_slots"
                        + " where slot_name in ('"
                        + slot
                        + "', '"
                        + beside
                        + "')"));
  }

  /** Made again by another program, it has confirmed more than the filter has. */
  @Test
  void aSlotThatWasMadeAgainIsABeginWithoutKnowledge() throws Exception {
    begun().close();
    lose();
    insert(1);
    sql("select pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
    begun();
    assertThat(heard.begins).hasSize(2);
  }

  /** As one that was kept in step with that of a primary. */
  @Test
  void aSlotOfAnotherServerIsABeginWithoutKnowledge() throws Exception {
    outgrow();
    begun().close();
    replace();
    sql("select pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
    begun();
    assertThat(heard.begins).hasSize(2);
  }

  /** It has the rows, the slot and the name of the one before, and a log of its own from there. */
  @Test
  void aStandbyThatWasPromotedIsABeginWithoutKnowledge(@TempDir Path folder) throws Exception {
    EmbeddedPostgres.Builder same =
        builder().setDataDirectory(folder.resolve("data")).setCleanDataDirectory(false);
    try (EmbeddedPostgres primary = prepared(same.start())) {
      leadTo(primary);
      makeTable();
      giveTable();
      begun().close();
    }
    Files.createFile(folder.resolve("data/recovery.signal"));
    try (EmbeddedPostgres promoted = same.setServerConfig("restore_command", "false").start()) {
      leadTo(promoted);
      soon().until(() -> !inRecovery());
      begun().close();
      assertThat(heard.begins).hasSize(2);
    } finally {
      leadTo(first);
    }
  }

  private static boolean inRecovery() {
    return Boolean.TRUE.equals(
        new JdbcTemplate(server.getPostgresDatabase())
            .queryForObject("select pg_is_in_recovery()", Boolean.class));
  }

  /** The log does not tell of the rows that it had before. */
  @Test
  void aPartitionThatIsAttachedIsABeginWithoutKnowledge() throws Exception {
    String part = "part_" + table;
    sql(
        "drop table " + table,
        "create table " + table + "(id bigint primary key) partition by range (id)",
        "alter table " + table + " owner to reader",
        "create table " + part + "(id bigint primary key)");
    begun();
    sql(
        "insert into " + part + " values (1)",
        "alter table " + table + " attach partition " + part + " for values from (0) to (9)");
    soon().until(() -> heard.begins.size() == 2);
    sql("insert into " + table + " values (2)");
    untilHeard(Change.inserted(2L));
  }

  @Test
  void aTableThatWasAlteredBetweenIsABeginWithoutKnowledge() throws Exception {
    begun().close();
    sql("alter table " + table + " alter name type varchar(50) using 'new ' || name");
    begun();
    assertThat(heard.begins).hasSize(2);
  }

  /** Also what was changed and changed back. */
  @Test
  void everyChangeThatTheLogDoesNotTellIsAnotherDigest() throws Exception {
    String part = "part_" + table;
    String publication = "alter publication pub_" + table;
    sql(
        "drop table " + table,
        "create table " + table + "(id bigint primary key, name text) partition by range (id)",
        "create table " + part + " partition of " + table + " for values from (0) to (9)",
        "create schema of_" + table,
        "alter table " + table + " owner to reader");
    try (DigestedTable digested = new DigestedTable()) {
      digested.expect(
          true,
          "truncate " + part,
          "alter table " + table + " detach partition " + part,
          "alter table " + table + " attach partition " + part + " for values from (0) to (9)",
          "create table next_" + part + " partition of " + table + " for values from (9) to (99)",
          "alter table next_" + part + " replica identity full",
          "drop table next_" + part,
          "alter table " + table + " alter name type text using 'new ' || name",
          "alter table " + table + " add code int",
          "alter table " + table + " drop code",
          "alter table " + table + " rename to other; alter table other rename to " + table,
          "alter table "
              + (table + " set schema of_" + table)
              + ("; alter table of_" + table + "." + table + " set schema public"),
          publication + " set (publish = 'insert')",
          publication + " set (publish = 'insert, update, delete, truncate')",
          publication + " drop table " + table + "; " + publication + " add table " + table,
          publication + " set table " + table + " where (id > 0)",
          "drop table " + table);
    }
  }

  /** The rows that came meanwhile were logged under another name, which nothing reads. */
  @Test
  void aSchemaThatWasRenamedAndNamedBackIsAnotherDigest() throws Exception {
    String schema = "schema_" + table;
    sql(
        "create schema " + schema + " authorization reader",
        "alter table " + table + " set schema " + schema);
    try (DigestedTable digested = new DigestedTable(schema + "." + table)) {
      digested.expect(
          true,
          "alter schema " + schema + " rename to other; alter schema other rename to " + schema);
    }
  }

  /** Each row with it has another text from then on. */
  @Test
  void aRenamedLabelOfAnEnumIsAnotherDigest() throws Exception {
    String type = "kind_" + table;
    sql(
        "create type " + type + " as enum ('new', 'used')",
        "alter table " + table + " add kind " + type);
    try (DigestedTable digested = new DigestedTable()) {
      digested.expect(true, "alter type " + type + " rename value 'used' to 'old'");
    }
  }

  /** Only a table that a publication names keeps its log. */
  @Test
  void aTableThatWasNotLoggedForAWhileIsAnotherDigest() throws Exception {
    sql("create publication pub_" + table + " for all tables");
    try (DigestedTable digested = new DigestedTable()) {
      digested.expect(
          true, "alter table " + table + " set unlogged; alter table " + table + " set logged");
    } finally {
      sql("drop publication pub_" + table);
    }
  }

  /** Otherwise each of them would have the filter built again. */
  @Test
  void whatTheLogTellsAndWhatConcernsNoRowIsTheSameDigest() throws Exception {
    try (DigestedTable digested = new DigestedTable()) {
      digested.expect(
          false,
          "insert into " + table + " values (1, 'name')",
          "update " + table + " set name = 'new'",
          "truncate " + table,
          "analyze " + table,
          "vacuum freeze " + table,
          "vacuum full " + table,
          "vacuum full pg_attribute",
          "create index on " + table + "(name)",
          "reindex table concurrently " + table,
          "grant select on " + table + " to public",
          "alter publication pub_" + table + " add table other_" + table);
    }
  }

  /** A table with all that is required, and its digest. */
  private final class DigestedTable implements AutoCloseable {

    private final PostgresRequirements requirements;
    private final SqlSession session;
    private String digest;

    DigestedTable() throws SQLException {
      this(table);
    }

    DigestedTable(String name) throws SQLException {
      sql("create table other_" + table + "(id int)");
      DatabaseAddress address =
          Objects.requireNonNull(DatabaseAddress.parse(url(port), "reader", "reader"));
      session = new SqlSession(new org.postgresql.Driver(), address, new Properties());
      requirements =
          new PostgresRequirements(
              session,
              address,
              new FollowedTable("products", name, List.of("id"), slot, "pub_" + table, false));
      digest = requirements.check().digest();
    }

    void expect(boolean changes, String... statements) throws SQLException {
      for (String statement : statements) {
        sql(statement);
        String next = requirements.digest();
        assertThat(!next.equals(digest)).as(statement).isEqualTo(changes);
        digest = next;
      }
    }

    @Override
    public void close() throws SQLException {
      session.close();
    }
  }

  /** What was logged while there was none cannot be read. */
  @Test
  void aPublicationThatWasDroppedIsMadeAgain() throws Exception {
    begun();
    sql("drop publication pub_" + table);
    insert(1);
    soon().until(() -> heard.begins.size() > 1);
    int before = heard.completed;
    soon().until(() -> heard.completed > before);
    insert(2);
    untilHeard(Change.inserted(2L));
  }

  @Test
  void aPublicationThatAnotherProgramHasMadeAgainIsABeginWithoutKnowledge() throws Exception {
    begun().close();
    sql("drop publication pub_" + table);
    insert(1);
    sql("create publication pub_" + table + " for table " + table);
    begun();
    insert(2);
    untilHeard(Change.inserted(2L));
    assertThat(heard.begins).hasSizeGreaterThan(1);
  }

  @Test
  void aTableWithChildrenIsRefused() throws Exception {
    sql("create table child_" + table + "(primary key (id)) inherits (" + table + ")");
    assertThatThrownBy(() -> feed(false).check())
        .isInstanceOf(UnreadyDatabaseException.class)
        .hasMessageContaining("child_" + table)
        .hasMessageContaining("Make the children partitions");
  }

  @Test
  void aPartitionThatIsNotLoggedIsRefused() throws Exception {
    sql(
        "drop table " + table,
        "create table " + table + "(id bigint primary key) partition by range (id)",
        "alter table " + table + " owner to reader",
        "create unlogged table part_"
            + table
            + " partition of "
            + table
            + " for values from (0) to (9)");
    assertThatThrownBy(() -> feed(false).check()).hasMessageContaining("part_" + table);
  }

  /** Also one that no table has. */
  @ParameterizedTest
  @ValueSource(strings = {"enum ()", "enum ('new'); create domain of_kind as kind"})
  void aTypeThatTheEngineFailsAtIsRefused(String type) throws Exception {
    sql("create type kind as " + type);
    try {
      assertThatThrownBy(() -> feed(false).check())
          .isInstanceOf(UnreadyDatabaseException.class)
          .hasMessageContaining(type.contains("domain") ? "'of_kind'" : "'kind'")
          .hasMessageContaining("drop the domain");
    } finally {
      sql("drop type kind cascade");
    }
    feed(false).check();
  }

  @Test
  void aGeneratedColumnIsNoKey() throws Exception {
    sql(
        "alter table " + table + " add code bigint not null generated always as (id * 10) stored",
        "alter table " + table + " replica identity full");
    assertThatThrownBy(() -> feed(table, false, "code").check())
        .isInstanceOf(UnreadyDatabaseException.class)
        .hasMessageContaining("alter column \"code\" drop expression;");
  }

  @Test
  void aSlotThatIsDroppedWhileItIsReadIsABeginWithoutKnowledge() throws Exception {
    begun();
    await()
        .ignoreExceptions()
        .untilAsserted(
            () ->
                sql(
                    "select pg_terminate_backend(active_pid) from pg_replication_slots"
                        + " where slot_name = '"
                        + slot
                        + "'",
                    "select pg_drop_replication_slot('" + slot + "')"));
    soon().until(() -> heard.begins.size() == 2);
    insert(1);
    soon().until(() -> heard.changes.contains(Change.inserted(1L)));
  }

  @Tag("thorough")
  @Tag("long")
  @Test
  void theSlotFollowsALogWithoutChangesAndItsSizeIsTold() throws Exception {
    begun();
    soon().until(() -> heard.retained >= 0);
    String before = Objects.requireNonNull(heard.position);
    sql("create table other_" + table + "(id int)");
    soon().until(() -> !before.equals(heard.position));
  }

  @Test
  void anotherColumnThanThePrimaryKeyNeedsItsReplicaIdentity() throws Exception {
    assertThatThrownBy(() -> feed(table, false, "name").check())
        .isInstanceOf(UnreadyDatabaseException.class)
        .hasMessageContaining("alter table " + table + " replica identity full;");
    sql("alter table " + table + " replica identity full");
    feed(table, false, "name").check();
    assertThatThrownBy(() -> feed(table, false, "code").check())
        .hasMessageContaining("no column 'code'");
    assertThatThrownBy(() -> feed("missing", false, "id").check())
        .hasMessageContaining("no table 'missing'");
  }

  @Test
  void anotherColumnThanThePrimaryKeyIsRead() throws Exception {
    sql("alter table " + table + " replica identity full");
    started(feed(table, false, "name"), heard);
    soon().until(() -> heard.completed > 0);
    sql(
        "insert into " + table + " values (1, 'a'), (2, null)",
        "update " + table + " set name = 'b' where id = 1",
        "update " + table + " set name = 'c' where id = 2",
        "delete from " + table + " where id = 1");
    untilHeard(Change.deleted("b"));
    assertThat(heard.changes)
        .containsExactly(
            Change.inserted("a"),
            Change.inserted(null),
            Change.updated("a", "b"),
            Change.present("c"),
            Change.deleted("b"));
  }

  /** As for the application's own connections. */
  @Test
  void theOptionsOfTheAddressApply() throws Exception {
    String only = "in_" + table;
    sql(
        "create schema " + only,
        "create table " + only + "." + only + "(id bigint primary key)",
        "alter table " + only + "." + only + " owner to reader",
        "grant usage on schema " + only + " to reader");
    String address = url(proxy.port()) + "?options=-c%20search_path=" + only;
    started(feed(address, only, false, "id"), heard);
    soon().until(() -> heard.completed > 0);
    sql("insert into " + only + "." + only + " values (1)");
    untilHeard(Change.inserted(1L));
  }

  @Test
  void aPublicationMustHaveTheTableAndAllKinds() throws Exception {
    sql("create publication pub_" + table + " with (publish = 'insert')");
    assertThatThrownBy(() -> feed(false).check())
        .hasMessageContaining("set (publish = 'insert, update, delete, truncate');");
    sql("alter publication pub_" + table + " set (publish = 'insert, update, delete, truncate')");
    assertThatThrownBy(() -> feed(false).check()).hasMessageContaining("add table public." + table);
    sql("alter publication pub_" + table + " add table " + table + " where (id > 7)");
    assertThatThrownBy(() -> feed(false).check()).hasMessageContaining("drop table");
  }

  @Test
  void rightsThatAreMissingAreNamed() throws Exception {
    sql("alter table " + table + " owner to postgres");
    assertThatThrownBy(() -> feed(false).check()).hasMessageContaining("create publication");
    sql("alter role reader noreplication");
    try {
      assertThatThrownBy(() -> feed(false).check())
          .hasMessageContaining("alter role \"reader\" replication;");
    } finally {
      sql("alter role reader replication");
    }
  }
}
