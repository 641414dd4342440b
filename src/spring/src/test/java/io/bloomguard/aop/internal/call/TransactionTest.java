package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.transaction.internal.SpringTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Writes against a real database: a key is in the filter before its row is visible. */
class TransactionTest {

  record Row(long id, String name) {}

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  static class Database {
    @Bean
    DataSource dataSource() {
      return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
      JdbcTemplate jdbc = new JdbcTemplate(dataSource);
      jdbc.execute("create table row_ (id bigint primary key, name varchar)");
      return jdbc;
    }
  }

  static class Rows {
    private final JdbcTemplate jdbc;
    private final TestGuards guards;

    Rows(JdbcTemplate jdbc, TestGuards guards) {
      this.jdbc = jdbc;
      this.guards = guards;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      List<String> names =
          jdbc.queryForList("select name from row_ where id = ?", String.class, id);
      return names.isEmpty() ? null : names.get(0);
    }

    @Transactional
    @BloomPut(filter = "products", key = "#result.id")
    public Row create(String name, boolean fail) {
      long id = 7;
      insert(id, name);
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
              assertThat(guards.keys).contains("7");
            }
          });
      if (fail) {
        throw new IllegalStateException("no");
      }
      return new Row(id, name);
    }

    @BloomPut(filter = "products", key = "#id")
    public CompletableFuture<Void> insertLater(long id, CompletableFuture<Void> done) {
      return done;
    }

    @BloomPut(filter = "products", key = "#result.id")
    public Row createAnywhere(String name) {
      insert(8, name);
      return new Row(8, name);
    }

    @BloomPut(filter = "products", key = "#row.id")
    public void save(Row row) {
      assertThat(guards.keys).contains("" + row.id());
      // The reader of a moment ago: no null entry may stay behind the write.
      assertThat(find(row.id())).isNull();
      insert(row.id(), row.name());
    }

    @Transactional
    @BloomPut(filter = "products", key = "#id")
    public void rename(long id, String name) {
      jdbc.update("update row_ set name = ? where id = ?", name, id);
    }

    @BloomPut(filter = "products", key = "#rows.![id]")
    public void saveAll(List<Row> rows) {
      rows.forEach(row -> assertThat(guards.keys).contains("" + row.id()));
    }

    @Transactional
    @BloomPut(filter = "products", key = "#id")
    public void failing(long id) {
      throw new IllegalStateException("no");
    }

    @BloomEvict(filter = "products", key = "#id")
    public void delete(long id) {
      jdbc.update("delete from row_ where id = ?", id);
    }

    @BloomEvict(filter = "products", key = "#id")
    public void evict(long id) {}

    @Transactional
    @BloomEvict(filter = "products", key = "#id")
    public CompletableFuture<Void> deleteLater(long id, CompletableFuture<Void> done) {
      jdbc.update("delete from row_ where id = ?", id);
      return done;
    }

    @BloomEvict(filter = "products", key = "#id")
    public CompletableFuture<Void> deleteAlone(long id, CompletableFuture<Void> done) {
      return done.thenRun(() -> delete(id));
    }

    private void insert(long id, String name) {
      jdbc.update("insert into row_ values (?, ?)", id, name);
    }
  }

  private final TestGuards guards = new TestGuards(new SpringTransactions(), UnknownPolicy.OPEN);
  private AnnotationConfigApplicationContext context;
  private @Nullable CompletableFuture<Void> later;
  private Rows rows;

  @BeforeEach
  void start() {
    context = Guarding.context(guards, new SpringTransactions(), Database.class, Rows.class);
    rows = context.getBean(Rows.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  @Test
  void copiesInOtherProcessesGetAKeyBeforeTheCommit() {
    List<Boolean> visible = new ArrayList<>();
    guards.copies.whenWaited(filter -> visible.add(isVisible(7)));
    rows.create("its key comes with the result", false);
    assertThat(visible).containsExactly(false);
    assertThat(isVisible(7)).isTrue();

    visible.clear();
    guards.copies.whenWaited(filter -> visible.add(isVisible(9)));
    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
        .executeWithoutResult(
            status -> {
              rows.save(new Row(9, "one"));
              rows.save(new Row(10, "two"));
              guards.guard("products").put(11);
              assertThat(visible).isEmpty();
            });
    assertThat(visible).as("together").containsExactly(false);
    assertThat(isVisible(9)).isTrue();
  }

  @Test
  void withoutATransactionTheMethodRunsOnceCopiesInOtherProcessesHaveTheKey() {
    guards.copies.hold();
    CompletableFuture<Void> saved = CompletableFuture.runAsync(() -> rows.save(new Row(9, "one")));
    await().until(() -> guards.copies.waiting() == 1);
    assertThat(isVisible(9)).isFalse();
    guards.copies.tell();
    assertThat(saved).succeedsWithin(Duration.ofMinutes(1));
    assertThat(isVisible(9)).isTrue();
  }

  /** Whether another connection sees a row. */
  private boolean isVisible(long id) {
    try (Connection other = context.getBean(DataSource.class).getConnection();
        Statement query = other.createStatement()) {
      return query.executeQuery("select 1 from row_ where id = " + id).next();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void resultKeyIsAddedInsideTheTransactionOfTheSameMethodBeforeItsCommit() {
    rows.create("new", false);
    assertThat(rows.find(7)).isEqualTo("new");
  }

  @Test
  void methodThatFailsAddsNoResultKey() {
    assertThatThrownBy(() -> rows.create("new", true)).hasMessage("no");
    assertThat(guards.keys).isEmpty();
    assertThat(rows.find(7)).isNull();
  }

  @Test
  void resultKeyMayComeFromTheCallersTransaction() {
    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
        .executeWithoutResult(status -> rows.createAnywhere("new"));
    assertThat(rows.find(8)).isEqualTo("new");
  }

  @Test
  void parameterKeyWithoutTransactionLeavesNoNullEntryBehind() {
    rows.save(new Row(9, "nine"));
    assertThat(rows.find(9)).isEqualTo("nine");
    assertThat(rows.find(9)).isEqualTo("nine");
  }

  @Test
  void barrierStandsUntilTheTransactionHasCompletedAndIsThenLifted() {
    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
        .executeWithoutResult(
            status -> {
              rows.save(new Row(9, "nine"));
              assertThat(TransactionSynchronizationManager.getSynchronizations()).isNotEmpty();
            });
    assertThat(rows.find(9)).isEqualTo("nine");
    context.getBean(JdbcTemplate.class).update("delete from row_");
    rows.delete(9);
    rows.find(9);
    assertThat(guards.outcomes.count(Outcome.NULL_HIT)).isZero();
    rows.find(9);
    assertThat(guards.outcomes.count(Outcome.NULL_HIT)).isEqualTo(1);
  }

  /** As listeners do that run once a transaction has ended. */
  @ParameterizedTest
  @ValueSource(strings = {"", "rolled back", "within another", "by the guard"})
  void anEvictionAfterTheEndOfATransactionKeepsItsKeyInTheCaches(String how) {
    guards.removes = true;
    rows.save(new Row(9, "old"));
    rows.find(9);
    Runnable work =
        () ->
            inTransaction(
                TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                () -> {
                  context.getBean(JdbcTemplate.class).update("update row_ set name = 'new'");
                  TransactionSynchronizationManager.registerSynchronization(
                      evicting(how.equals("by the guard")));
                  if (how.equals("rolled back")) {
                    throw new IllegalStateException(how);
                  }
                });
    if (how.equals("within another")) {
      inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, work);
    } else if (how.equals("rolled back")) {
      assertThatThrownBy(work::run).hasMessage(how);
    } else {
      work.run();
    }
    assertThat(rows.find(9)).isEqualTo(how.equals("rolled back") ? "old" : "new");
    rows.find(9);
    assertThat(guards.outcomes.count(Outcome.CACHE_HIT)).isEqualTo(1);
    assertThat(guards.keys).as("its row may be there").contains("9");
  }

  private TransactionSynchronization evicting(boolean byGuard) {
    return new TransactionSynchronization() {
      @Override
      public void afterCompletion(int status) {
        if (byGuard) {
          guards.guard("products").evict(9);
        } else {
          rows.evict(9);
        }
      }
    };
  }

  @Test
  void barrierStandsUntilTheFutureHasEndedThatATransactionLeftBehind() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    inTransaction(
        TransactionDefinition.PROPAGATION_REQUIRED, () -> later = rows.insertLater(9, done));
    assertThat(rows.find(9)).as("not there yet").isNull();
    context.getBean(JdbcTemplate.class).update("insert into row_ values (9, 'nine')");
    done.complete(null);
    assertThat(later).isCompleted();
    assertThat(rows.find(9)).isEqualTo("nine");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void barrierEndsWithTheFutureEvenIfTheCallerCancelsItsOwn(boolean cancelled) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    inTransaction(
        TransactionDefinition.PROPAGATION_REQUIRED, () -> later = rows.insertLater(9, done));
    if (cancelled) {
      later.cancel(false);
    }
    done.complete(null);
    assertThat(rows.find(9)).isNull();
    assertThat(rows.find(9)).isNull();
    assertThat(guards.outcomes.count(Outcome.NULL_HIT)).as("no barrier stays").isEqualTo(1);
  }

  @Test
  void barrierStandsUntilTheTransactionHasCompletedWhoseFutureHasEnded() {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    inTransaction(
        TransactionDefinition.PROPAGATION_REQUIRED,
        () -> {
          rows.insertLater(9, done);
          context.getBean(JdbcTemplate.class).update("insert into row_ values (9, 'nine')");
          elsewhere(() -> assertThat(rows.find(9)).as("not committed yet").isNull());
        });
    assertThat(rows.find(9)).isEqualTo("nine");
  }

  @Test
  void rollbackLiftsTheBarrierAndCostsOneFalsePositive() {
    assertThatThrownBy(() -> rows.failing(5)).hasMessage("no");
    assertThat(guards.keys).containsExactly("5");
    assertThat(rows.find(5)).isNull();
    rows.find(5);
    assertThat(guards.outcomes.count(Outcome.FALSE_POSITIVE)).isEqualTo(1);
    assertThat(guards.outcomes.count(Outcome.NULL_HIT)).isEqualTo(1);
  }

  @Test
  void aReaderOnAnOlderSnapshotLeavesNoStaleNullBehind() {
    inTransaction(
        TransactionDefinition.PROPAGATION_REQUIRED,
        () -> {
          takeSnapshot();
          elsewhere(() -> rows.create("new", false));
          assertThat(rows.find(7)).as("not in this snapshot").isNull();
        });
    assertThat(rows.find(7)).isEqualTo("new");
  }

  @Test
  void aReaderOnAnOlderSnapshotLeavesNoStaleValueBehind() {
    rows.create("old", false);
    inTransaction(
        TransactionDefinition.PROPAGATION_REQUIRED,
        () -> {
          takeSnapshot();
          elsewhere(() -> rows.rename(7, "new"));
          assertThat(rows.find(7)).as("in this snapshot").isEqualTo("old");
        });
    assertThat(rows.find(7)).isEqualTo("new");
  }

  @Test
  void aReaderWhoseTransactionBeganAfterTheWriteCaches() {
    rows.save(new Row(8, "eight"));
    inTransaction(
        TransactionDefinition.PROPAGATION_REQUIRED,
        () -> {
          takeSnapshot();
          elsewhere(() -> rows.create("new", false));
          elsewhere(() -> rows.save(new Row(9, "nine")));
          untilCached(
              () ->
                  inTransaction(
                      TransactionDefinition.PROPAGATION_REQUIRES_NEW,
                      () -> assertThat(rows.find(7)).isEqualTo("new")));
          assertThat(rows.find(9)).as("the outer transaction is as old as before").isNull();
          assertThat(rows.find(9)).isNull();
          assertThat(guards.outcomes.count(Outcome.NULL_HIT)).isZero();
          untilCached(() -> rows.find(8));
        });
    assertThat(rows.find(9)).isEqualTo("nine");
  }

  /** A reader that is stopped while it compares times may leave out the cache. */
  private void untilCached(Runnable read) {
    long before = guards.outcomes.count(Outcome.CACHE_HIT);
    await()
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              read.run();
              return guards.outcomes.count(Outcome.CACHE_HIT) > before;
            });
  }

  @Test
  void whatATransactionHasWrittenButNotCommittedIsNotCached() {
    assertThatThrownBy(
            () ->
                inTransaction(
                    TransactionDefinition.PROPAGATION_REQUIRED,
                    () -> {
                      rows.save(new Row(9, "nine"));
                      assertThat(rows.find(9)).isEqualTo("nine");
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");
    assertThat(rows.find(9)).isNull();
  }

  private void inTransaction(int propagation, Runnable work) {
    TransactionTemplate template =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    template.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    template.setPropagationBehavior(propagation);
    template.executeWithoutResult(status -> work.run());
  }

  private void takeSnapshot() {
    context.getBean(JdbcTemplate.class).queryForList("select * from row_");
  }

  private static void elsewhere(Runnable work) {
    CompletableFuture.runAsync(work).orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  void everyKeyOfAProjectionIsAdded() {
    rows.saveAll(List.of(new Row(1, "a"), new Row(2, "b")));
    assertThat(guards.keys).containsExactlyInAnyOrder("1", "2");
  }

  @Test
  void aDeletedRowsKeyLeavesTheFilterOnceItsTransactionHasCommitted() {
    guards.removes = true;
    rows.save(new Row(9, "nine"));
    TransactionTemplate transaction =
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    transaction.executeWithoutResult(
        status -> {
          rows.delete(9);
          status.setRollbackOnly();
        });
    assertThat(guards.keys).contains("9");
    transaction.executeWithoutResult(
        status -> {
          Object savepoint = status.createSavepoint();
          rows.delete(9);
          status.rollbackToSavepoint(savepoint);
        });
    assertThat(guards.keys).as("its row was deleted and brought back").contains("9");
    transaction.executeWithoutResult(
        status -> {
          rows.delete(9);
          assertThat(guards.keys).as("before the commit").contains("9");
        });
    assertThat(guards.keys).isEmpty();
    rows.save(new Row(10, "ten"));
    rows.delete(10);
    assertThat(guards.keys).as("without a transaction").isEmpty();
  }

  /** The future ends on a thread that knows nothing of the transaction that deletes the row. */
  @Test
  void aKeyStaysInTheFilterWhoseFutureEndsBesideATransaction() {
    guards.removes = true;
    rows.save(new Row(9, "nine"));
    assertThat(rows.find(9)).isEqualTo("nine");
    CompletableFuture<Void> done = new CompletableFuture<>();
    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
        .executeWithoutResult(
            status -> {
              later = rows.deleteLater(9, done);
              elsewhere(() -> done.complete(null));
              assertThat(later).isCompleted();
              assertThat(guards.keys).as("before the commit").contains("9");
              status.setRollbackOnly();
            });
    assertThat(rows.find(9)).as("after the rollback").isEqualTo("nine");
    assertThat(guards.outcomes.count(Outcome.CACHE_HIT)).as("the value is dropped").isZero();
    assertThat(rows.deleteAlone(9, CompletableFuture.completedFuture(null)))
        .succeedsWithin(Duration.ofSeconds(60));
    assertThat(guards.keys).as("without a transaction").isEmpty();
  }

  @Test
  void evictionDropsTheValue() {
    rows.save(new Row(9, "nine"));
    assertThat(rows.find(9)).isEqualTo("nine");
    rows.delete(9);
    assertThat(rows.find(9)).isNull();
  }
}
