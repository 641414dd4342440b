package io.bloomguard.changes.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications that follow a table of their own database. */
class DatabaseWiringTest extends FeedWiringContractTest {

  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() throws Exception {
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("wal_level", "logical")
            .setServerConfig("fsync", "off")
            .start();
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @BeforeEach
  void makeTable() throws SQLException {
    sql("create table products(id bigint primary key, name text)");
  }

  @AfterEach
  void dropTable() {
    await()
        .ignoreExceptions()
        .untilAsserted(
            () ->
                sql(
                    "select pg_drop_replication_slot(slot_name) from pg_replication_slots",
                    "drop publication if exists bloomguard_products",
                    "drop table if exists products"));
  }

  private static void sql(String... statements) throws SQLException {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  @Override
  void insert(long id) throws SQLException {
    sql("insert into products values (" + id + ")");
  }

  @Override
  void update(long id) throws SQLException {
    sql("update products set name = 'new' where id = " + id);
  }

  @Override
  void changeKey(long from, long to) throws SQLException {
    sql("update products set id = " + to + " where id = " + from);
  }

  private static ApplicationContextRunner application(String url) {
    return with(
            "jdbc.query=select id from products",
            "changes.from=database",
            "changes.table=public.products",
            "changes.key=id")
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=" + url, "spring.datasource.username=postgres");
  }

  @Override
  ApplicationContextRunner application() {
    return application(url(server));
  }

  private static String url(EmbeddedPostgres of) {
    return "jdbc:postgresql://127.0.0.1:" + of.getPort() + "/postgres?ApplicationName=shop";
  }

  private static ApplicationContextRunner writing(ApplicationContextRunner application) {
    return application.withConfiguration(
        AutoConfigurations.of(
            DataSourceTransactionManagerAutoConfiguration.class,
            TransactionAutoConfiguration.class,
            JdbcTemplateAutoConfiguration.class));
  }

  /** Otherwise one deletion would leave it in the filter. */
  @Test
  void anInsertOfThisApplicationIsCountedOnce() {
    writing(application())
        .withPropertyValues(FILTER + "layout=counting", FILTER + "rebuild.journal-retention=1s")
        .run(
            context -> {
              untilAbsent(context, 1);
              AtomicLong id = new AtomicLong();
              // The first ones may come before the feed removes keys.
              soon()
                  .until(
                      () -> {
                        insertOwn(context, id.incrementAndGet());
                        untilApplied(context, Change.Kind.INSERT, id.get());
                        sql("delete from products");
                        untilApplied(context, Change.Kind.DELETE, id.get());
                        return guard(context).check(id.get()) == ABSENT;
                      });
            });
  }

  private static void insertOwn(ApplicationContext context, long id) {
    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(
            status -> {
              guard(context).put(id);
              context
                  .getBean(JdbcTemplate.class)
                  .update("insert into products values (?, 'own')", id);
            });
  }

  private static void untilApplied(ApplicationContext context, Change.Kind kind, long number) {
    FilterFeed feed = context.getBean(ConfiguredFilters.class).all().get(0).managed().feed();
    soon().until(() -> feed.applied(kind) >= number);
  }

  @Test
  void aSlotThatIsGoneMakesDoubtAndABuild() {
    application()
        .run(
            context -> {
              untilAbsent(context, 1);
              await()
                  .ignoreExceptions()
                  .untilAsserted(
                      () ->
                          sql(
                              "select pg_terminate_backend(active_pid) from pg_replication_slots",
                              "select pg_drop_replication_slot(slot_name) from"
                                  + " pg_replication_slots",
                              // Committed while there is no slot: a build alone can find it.
                              "insert into products values (1)"));
              untilKnown(context, 1);
              untilAbsent(context, 3);
              assertThat(guard(context).check(1L)).isEqualTo(POSSIBLY_PRESENT);
            });
  }

  @Test
  void aServerThatWritesNoLogicalLogIsToldWhatToRun() throws Exception {
    try (EmbeddedPostgres plain = EmbeddedPostgres.start()) {
      assertThat(Wiring.failure(application(url(plain))).getAction())
          .contains("alter system set wal_level = logical;");
    }
  }

  @Test
  void anAddressOfAnotherProductIsRefused() {
    assertThat(
            Wiring.failure(application("jdbc:mariadb:replication://one,two/shop")).getDescription())
        .contains("jdbc:postgresql://host:port/database");
  }

  @Test
  void settingsOfAnotherPlaceAreRefused() {
    assertThat(
            Wiring.failure(
                    application().withPropertyValues(FILTER + "source.changes.topic=products"))
                .getDescription())
        .contains("has no topic");
  }
}
