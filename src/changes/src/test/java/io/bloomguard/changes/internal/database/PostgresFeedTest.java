package io.bloomguard.changes.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.Change;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.SQLException;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A feed from the log of a real PostgreSQL. */
class PostgresFeedTest extends LogFeedContractTest {

  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() throws Exception {
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("wal_level", "logical")
            .setServerConfig("fsync", "off")
            .start();
    isAt(server.getPort());
    run(
        server.getJdbcUrl("postgres", "postgres"),
        "create role reader login replication",
        "grant create on database postgres to reader",
        "grant create on schema public to reader");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
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
                        + " where slot_name = '"
                        + slot
                        + "'"));
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
