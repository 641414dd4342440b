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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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

/**
 * Applications that follow a table of their own database. In real time: an engine polls its log,
 * and a reader that ended is begun again, at intervals.
 */
@Tag("waits")
@Tag("thorough")
@Tag("long")
class DatabaseWiringTest extends FeedWiringContractTest {

  private static final int ROUNDS = 20;
  private static final int TIMES = 10;
  private static final long KEYS = 4;
  private static final long MARKERS = 1_000;
  private static final AtomicLong VERSIONS = new AtomicLong();

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
                        writeOwn(context, id.incrementAndGet());
                        untilApplied(context, Change.Kind.INSERT, id.get());
                        sql("delete from products");
                        untilApplied(context, Change.Kind.DELETE, id.get());
                        return guard(context).check(id.get()) == ABSENT;
                      });
            });
  }

  /** What is left out is never a change of another transaction. */
  @Test
  void valuesAreThoseOfTheRowsAfterWritesOfAllKinds() {
    ApplicationContextRunner application = writing(shared());
    Random random = new Random(7);
    application.run(
        one ->
            application.run(
                other -> {
                  for (int round = 1; round <= ROUNDS; round++) {
                    race(
                        random,
                        id -> writeOwn(one, id),
                        id -> writeOwn(other, id),
                        DatabaseWiringTest::write,
                        id -> value(one, id),
                        id -> value(other, id));
                    // A batch adds its keys before it drops its values: the next one follows both.
                    for (int last = 0; last < 2; last++) {
                      long marker = MARKERS + 2L * round + last;
                      insert(marker);
                      untilKnown(one, marker);
                      untilKnown(other, marker);
                    }
                    for (long id = 0; id < KEYS; id++) {
                      String row = row(one, id);
                      assertThat(value(one, id)).as("key %s, round %s", id, round).isEqualTo(row);
                      assertThat(value(other, id)).as("key %s, round %s", id, round).isEqualTo(row);
                    }
                  }
                }));
  }

  /** Runs each of some actions many times, all at once, with few keys. */
  private static void race(Random random, Action... actions) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(actions.length);
    List<Future<?>> ends = new ArrayList<>();
    for (Action action : actions) {
      long[] ids = random.longs(TIMES, 0, KEYS).toArray();
      ends.add(
          threads.submit(
              () -> {
                for (long id : ids) {
                  action.on(id);
                }
                return null;
              }));
    }
    threads.shutdown();
    for (Future<?> end : ends) {
      end.get(60, TimeUnit.SECONDS);
    }
  }

  @FunctionalInterface
  private interface Action {
    void on(long id) throws Exception;
  }

  private static void writeOwn(ApplicationContext context, long id) {
    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(
            status -> {
              guard(context).put(id);
              context.getBean(JdbcTemplate.class).update(upsert(id));
            });
  }

  private static void write(long id) throws SQLException {
    sql(upsert(id));
  }

  private static String upsert(long id) {
    return "insert into products values ("
        + id
        + ", '"
        + VERSIONS.incrementAndGet()
        + "') on conflict (id) do update set name = excluded.name";
  }

  private static @Nullable Object value(ApplicationContext context, long id) {
    return guard(context).get(id, () -> row(context, id));
  }

  private static @Nullable String row(ApplicationContext context, long id) {
    return context
        .getBean(JdbcTemplate.class)
        .queryForList("select name from products where id = " + id, String.class)
        .stream()
        .findFirst()
        .orElse(null);
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
