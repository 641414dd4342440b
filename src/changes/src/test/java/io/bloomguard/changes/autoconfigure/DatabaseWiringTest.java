package io.bloomguard.changes.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.autoconfigure.Wiring;
import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilters;
import io.bloomguard.generation.Change;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.redis.EmbeddedRedis;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications that follow a table of their own database. */
@Tag("redis")
class DatabaseWiringTest {

  private static EmbeddedPostgres server;
  private static EmbeddedRedis redis;

  @BeforeAll
  static void start() throws Exception {
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("wal_level", "logical")
            .setServerConfig("fsync", "off")
            .start();
    redis = new EmbeddedRedis();
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    redis.close();
  }

  @BeforeEach
  void makeTable() throws SQLException {
    sql("create table products(id bigint primary key)");
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

  private static ApplicationContextRunner application(String url) {
    String prefix = "bloomguard.filters.products.";
    return Wiring.application()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
        .withPropertyValues(
            "spring.datasource.url=" + url,
            "spring.datasource.username=postgres",
            prefix + "expected-insertions=1000",
            prefix + "source.jdbc.query=select id from products",
            prefix + "source.changes.from=database",
            prefix + "source.changes.table=public.products",
            prefix + "source.changes.key=id",
            prefix + "warm-up.min-keys=0");
  }

  private static ApplicationContextRunner application() {
    return application(url(server));
  }

  private static String url(EmbeddedPostgres of) {
    return "jdbc:postgresql://127.0.0.1:" + of.getPort() + "/postgres?ApplicationName=shop";
  }

  private static ApplicationContextRunner shared() {
    return application()
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withPropertyValues(
            "bloomguard.backend=redis",
            "bloomguard.hash-secret=00112233445566778899aabbccddeeff",
            "spring.data.redis.port=" + redis.port());
  }

  private static BloomGuard<Object> guard(ApplicationContext context) {
    return context.getBean(BloomGuards.class).guard("products");
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60));
  }

  @Test
  void rowsOfOtherProgramsAreKnownAndTheirValuesDropped() {
    application()
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context);
              soon().until(() -> guard.check(1L) == ABSENT);
              sql("insert into products values (1)");
              soon().until(() -> guard.check(1L) == POSSIBLY_PRESENT);
              assertThat(guard.get(1L, () -> "old")).isEqualTo("old");
              sql("update products set id = 2");
              soon().until(() -> guard.check(2L) == POSSIBLY_PRESENT);
              soon().until(() -> guard.get(1L, () -> null) == null);
            });
  }

  /** Otherwise one deletion would leave it in the filter. */
  @Test
  void anInsertOfThisApplicationIsCountedOnce() {
    application()
        .withConfiguration(
            AutoConfigurations.of(
                DataSourceTransactionManagerAutoConfiguration.class,
                TransactionAutoConfiguration.class,
                JdbcTemplateAutoConfiguration.class))
        .withPropertyValues(
            "bloomguard.filters.products.layout=counting",
            "bloomguard.filters.products.rebuild.journal-retention=1s")
        .run(
            context -> {
              BloomGuard<Object> guard = guard(context);
              soon().until(() -> guard.check(1L) == ABSENT);
              AtomicLong id = new AtomicLong();
              // The first ones may come before the feed removes keys.
              soon()
                  .until(
                      () -> {
                        insertOwn(context, id.incrementAndGet());
                        untilApplied(context, Change.Kind.INSERT, id.get());
                        sql("delete from products");
                        untilApplied(context, Change.Kind.DELETE, id.get());
                        return guard.check(id.get()) == ABSENT;
                      });
            });
  }

  private static void insertOwn(ApplicationContext context, long id) {
    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(
            status -> {
              guard(context).put(id);
              context.getBean(JdbcTemplate.class).update("insert into products values (?)", id);
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
              BloomGuard<Object> guard = guard(context);
              soon().until(() -> guard.check(1L) == ABSENT);
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
              soon().until(() -> guard.check(1L) == POSSIBLY_PRESENT);
              soon().until(() -> guard.check(3L) == ABSENT);
              assertThat(guard.check(1L)).isEqualTo(POSSIBLY_PRESENT);
            });
  }

  @Test
  void rowsOfAFilterInRedisAreReadByOneProcessAndKnownToAll() throws Exception {
    sql("insert into products values (7)");
    ApplicationContextRunner application = shared();
    application.run(
        other -> {
          soon().until(() -> guard(other).check(1L) == ABSENT);
          application.run(
              first -> {
                soon().until(() -> guard(first).check(1L) == ABSENT);
                sql("insert into products values (1)");
                soon().until(() -> guard(first).check(1L) == POSSIBLY_PRESENT);
                soon().until(() -> guard(other).check(1L) == POSSIBLY_PRESENT);
              });
          sql("insert into products values (2)");
          soon().until(() -> guard(other).check(2L) == POSSIBLY_PRESENT);
          soon().until(() -> guard(other).check(3L) == ABSENT);
        });
    // No process runs; the slot keeps what comes.
    sql("insert into products values (3)");
    application.run(
        next -> {
          soon().until(() -> guard(next).check(3L) == POSSIBLY_PRESENT);
          soon().until(() -> guard(next).check(4L) == ABSENT);
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
                    application()
                        .withPropertyValues(
                            "bloomguard.filters.products.source.changes.topic=products"))
                .getDescription())
        .contains("has no topic");
  }
}
