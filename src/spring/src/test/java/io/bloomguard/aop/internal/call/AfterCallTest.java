package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.When;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.transaction.internal.SpringTransactions;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Keys that are known only after the call, with and without a transaction around it. */
class AfterCallTest {

  static class Row {
    private @Nullable Long id;

    public @Nullable Long getId() {
      return id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Database {

    @Bean
    DataSource dataSource() {
      return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    @Bean
    PlatformTransactionManager transactions1(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
      JdbcTemplate jdbc = new JdbcTemplate(dataSource);
      jdbc.execute("create table row_ (id bigint auto_increment primary key)");
      return jdbc;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OtherDatabase {
    @Bean
    PlatformTransactionManager transactions2() {
      return new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other"));
    }
  }

  static class Table {

    private final JdbcTemplate jdbc;
    private final TestGuards guards;

    Table(JdbcTemplate jdbc, TestGuards guards) {
      this.jdbc = jdbc;
      this.guards = guards;
    }

    public void save(Row row) {
      row.id = insert();
    }

    long insert() {
      jdbc.update("insert into row_ default values");
      if (TransactionSynchronizationManager.isSynchronizationActive()) {
        TransactionSynchronizationManager.registerSynchronization(new KeyIsThereFirst());
      }
      assertThat(elsewhere(this::count)).as("not yet visible").isZero();
      Long id = jdbc.queryForObject("select max(id) from row_", Long.class);
      assertThat(id).isNotNull();
      return id;
    }

    long count() {
      Long count = jdbc.queryForObject("select count(*) from row_", Long.class);
      return count == null ? 0 : count;
    }

    /** Every row is visible from here on. */
    private final class KeyIsThereFirst implements TransactionSynchronization {
      @Override
      public void afterCommit() {
        List<String> ids = jdbc.queryForList("select id from row_", String.class);
        assertThat(guards.keys).containsAll(ids);
      }
    }
  }

  static class Rows extends Table {

    Rows(JdbcTemplate jdbc, TestGuards guards) {
      super(jdbc, guards);
    }

    @Override
    @BloomPut(filter = "products", key = "#row.id", when = When.AFTER)
    public void save(Row row) {
      row.id = insert();
    }

    @BloomPut(filter = "products", key = "#result.id")
    public Row create() {
      Row row = new Row();
      row.id = insert();
      return row;
    }

    /** {@return what a guarded lookup of the new row finds before its key is known} */
    @BloomPut(filter = "products", key = "#row.id", when = When.AFTER)
    public @Nullable String look(Row row, BloomGuard<String> lookup) {
      row.id = insert();
      return lookup.get(row.id, () -> "row " + row.id);
    }

    @BloomPut(filter = "products", key = "#row.id", when = When.AFTER)
    public void forget(Row row) {
      insert();
    }

    @BloomPut(filter = "products", key = "#row.id", when = When.AFTER)
    public void fail(Row row) throws IOException {
      row.id = insert();
      throw new IOException("no");
    }
  }

  static class NamedRows extends Table {

    NamedRows(JdbcTemplate jdbc, TestGuards guards) {
      super(jdbc, guards);
    }

    @Override
    @BloomPut(
        filter = "products",
        key = "#row.id",
        when = When.AFTER,
        transactionManager = "transactions1")
    public void save(Row row) {
      super.save(row);
    }
  }

  /** Its manager is named by Spring's annotation on the class. */
  @Transactional("transactions1")
  static class TransactionalRows extends Table {

    TransactionalRows(JdbcTemplate jdbc, TestGuards guards) {
      super(jdbc, guards);
    }

    @Override
    @BloomPut(filter = "products", key = "#row.id", when = When.AFTER)
    public void save(Row row) {
      super.save(row);
    }
  }

  private final SpringTransactions transactions = new SpringTransactions();
  private final TestGuards guards = new TestGuards(transactions, UnknownPolicy.OPEN);
  private @Nullable AnnotationConfigApplicationContext context;

  private <T extends Table> T rows(Class<T> type, Class<?>... databases) {
    Class<?>[] beans = java.util.Arrays.copyOf(databases, databases.length + 1);
    beans[databases.length] = type;
    context = Guarding.context(guards, transactions, beans);
    return context.getBean(type);
  }

  @AfterEach
  void stop() {
    if (context != null) {
      context.close();
    }
  }

  @Test
  void untilItsKeyIsKnownALookupOfTheNewRowIsNotRejected() {
    BloomGuard<String> lookup =
        guards.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
    Rows rows = rows(Rows.class, Database.class);
    Row row = new Row();
    assertThat(rows.look(row, lookup)).isEqualTo("row " + row.getId());
    assertThat(elsewhere(() -> lookup.check(404))).isEqualTo(Membership.ABSENT);
    assertThat(lookup.<RuntimeException>get(404, () -> "none")).isNull();
  }

  @Test
  void onceItsKeyIsKnownItsTransactionRejectsAgain() {
    BloomGuard<String> lookup =
        guards.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
    Rows rows = rows(Rows.class, Database.class);
    template("transactions1")
        .executeWithoutResult(
            status -> {
              rows.save(new Row());
              rows.look(new Row(), lookup);
              assertThat(lookup.check(404)).isEqualTo(Membership.ABSENT);
            });
  }

  @Test
  void keyThatTheMethodSetsOnItsArgumentIsAddedBeforeTheCommitOfATransactionOfTheGuard() {
    Rows rows = rows(Rows.class, Database.class);
    Row row = new Row();
    rows.save(row);
    assertThat(guards.keys).containsExactly("" + row.getId());
    assertThat(rows.count()).isEqualTo(1);
  }

  @Test
  void keyOfTheResultIsAddedBeforeTheCommitOfATransactionOfTheGuard() {
    Rows rows = rows(Rows.class, Database.class);
    assertThat(guards.keys).doesNotContain("1");
    assertThat(rows.create().getId()).isEqualTo(1);
    assertThat(guards.keys).containsExactly("1");
    assertThat(rows.count()).isEqualTo(1);
  }

  @Test
  void transactionOfTheCallerIsJoined() {
    Rows rows = rows(Rows.class, Database.class);
    template("transactions1")
        .executeWithoutResult(
            status -> {
              rows.save(new Row());
              status.setRollbackOnly();
            });
    assertThat(rows.count()).isZero();
    assertThat(guards.keys).as("one false positive").containsExactly("1");
  }

  @Test
  void nullAfterTheCallTakesTheRowBack() {
    Rows rows = rows(Rows.class, Database.class);
    assertThatIllegalStateException()
        .isThrownBy(() -> rows.forget(new Row()))
        .withMessageContaining(".forget(Row)")
        .withMessageContaining("\"#row.id\" is null after");
    assertThat(rows.count()).isZero();
  }

  @Test
  void methodThatFailsTakesTheRowBackWhateverItThrows() {
    Rows rows = rows(Rows.class, Database.class);
    assertThatThrownBy(() -> rows.fail(new Row())).isInstanceOf(IOException.class);
    assertThat(rows.count()).isZero();
    assertThat(guards.keys).isEmpty();
  }

  @Test
  void withSeveralManagersAndNoneNamedTheStartIsRefused() {
    assertThatThrownBy(() -> rows(Rows.class, Database.class, OtherDatabase.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("[transactions1, transactions2]")
        .hasMessageContaining("transactionManager =");
  }

  @Test
  void theManagerOfTransactionalIsNamed() {
    Table rows = rows(TransactionalRows.class, Database.class, OtherDatabase.class);
    template("transactions2").executeWithoutResult(status -> rows.save(new Row()));
    assertThat(guards.keys).containsExactly("1");
    assertThat(rows.count()).isEqualTo(1);
  }

  @Test
  void aTransactionOfAnotherManagerInsideOfTheNamedOneIsNotTakenForIt() {
    Table rows = rows(NamedRows.class, Database.class, OtherDatabase.class);
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                template("transactions1")
                    .executeWithoutResult(
                        outer ->
                            template("transactions2")
                                .executeWithoutResult(inner -> rows.save(new Row()))))
        .withMessageContaining("'transactions1'");
    assertThat(rows.count()).isZero();
  }

  @Test
  void namedManagerBeginsTheTransaction() {
    Table rows = rows(NamedRows.class, Database.class, OtherDatabase.class);
    rows.save(new Row());
    assertThat(guards.keys).containsExactly("1");
  }

  @Test
  void namedManagerBeginsTheTransactionWithinOneOfAnother() {
    Table rows = rows(NamedRows.class, Database.class, OtherDatabase.class);
    template("transactions2").executeWithoutResult(status -> rows.save(new Row()));
    assertThat(guards.keys).containsExactly("1");
  }

  @Test
  void managerThatThereIsNotIsRefusedAtTheStart() {
    assertThatThrownBy(() -> rows(NamedRows.class, Unmanaged.class, OtherDatabase.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("no transaction manager 'transactions1', but [transactions2]");
  }

  @Test
  void applicationWithoutAManagerIsRefusedAtTheStart() {
    assertThatThrownBy(() -> rows(Rows.class, Unmanaged.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("the application has no transaction manager");
  }

  @Configuration(proxyBeanMethods = false)
  static class Unmanaged {
    @Bean
    JdbcTemplate jdbc() {
      return new JdbcTemplate(new DriverManagerDataSource("jdbc:h2:mem:unmanaged"));
    }
  }

  private TransactionTemplate template(String manager) {
    assertThat(context).isNotNull();
    return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
  }

  private static <T> T elsewhere(java.util.function.Supplier<T> work) {
    return CompletableFuture.supplyAsync(work).orTimeout(60, TimeUnit.SECONDS).join();
  }
}
