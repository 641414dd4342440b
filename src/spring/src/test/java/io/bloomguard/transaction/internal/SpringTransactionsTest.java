package io.bloomguard.transaction.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** How old the reads of a thread may be, by what Spring binds to it. */
class SpringTransactionsTest {

  private final SpringTransactions transactions = new SpringTransactions();
  private final JdbcTemplate jdbc =
      new JdbcTemplate(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID()));
  private final JdbcTransactionManager manager = new JdbcTransactionManager(jdbc.getDataSource());

  @ParameterizedTest
  @ValueSource(
      ints = {
        TransactionDefinition.PROPAGATION_SUPPORTS,
        TransactionDefinition.PROPAGATION_NOT_SUPPORTED
      })
  void aScopeWithoutATransactionIsOfUnknownAgeOnceItHoldsAConnection(int propagation) {
    template(propagation)
        .executeWithoutResult(
            status -> {
              assertThat(transactions.readsSince()).isNull();
              jdbc.execute("select 1");
              assertThat(transactions.isActive()).isFalse();
              assertThat(readAge()).isGreaterThanOrEqualTo(Transactions.UNKNOWN_AGE);
            });
    assertThat(transactions.readsSince()).isNull();
  }

  private Duration readAge() {
    long since = transactions.readsSince();
    return Duration.ofNanos(System.nanoTime() - since);
  }

  @Test
  void aTransactionIsAsOldAsItsBegin() {
    transactions.postProcessBeforeInitialization(manager, "manager");
    template(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            status -> {
              jdbc.execute("select 1");
              assertThat(transactions.isActive()).isTrue();
              assertThat(readAge()).isLessThan(Transactions.UNKNOWN_AGE);
              assertThat(transactions.readsSince())
                  .as("a moment, which no stop of the thread makes older")
                  .isEqualTo(transactions.readsSince());
            });
    assertThat(transactions.readsSince()).isNull();
  }

  /** Its statements are committed later, with the reset of the connection. */
  @Test
  void theEndOfAWriteWithinACompletionIsNotSeen() {
    List<Transactions.End> ends = new ArrayList<>();
    template(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            status ->
                TransactionSynchronizationManager.registerSynchronization(
                    new TransactionSynchronization() {
                      @Override
                      public void afterCommit() {
                        assertThat(transactions.register(() -> {}, ends::add)).isTrue();
                        assertThat(ends).isEmpty();
                      }

                      @Override
                      public void afterCompletion(int outcome) {
                        assertThat(transactions.register(() -> {}, ends::add)).isTrue();
                      }
                    }));
    assertThat(ends).containsExactly(Transactions.End.UNKNOWN, Transactions.End.COMMITTED);
    assertThat(transactions.register(() -> {}, ends::add)).isFalse();
  }

  /** Its synchronizations are suspended meanwhile, but not its connection. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWriteWithinATransactionOfAnotherManagerEndsWithTheLastOfThem(boolean rolledBack) {
    JdbcTransactionManager another =
        new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID()));
    transactions.postProcessBeforeInitialization(manager, "manager");
    transactions.postProcessBeforeInitialization(another, "another");
    List<Transactions.End> ends = new ArrayList<>();
    AtomicInteger renewed = new AtomicInteger();
    template(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            outer -> {
              new TransactionTemplate(another)
                  .executeWithoutResult(
                      inner ->
                          assertThat(transactions.register(renewed::incrementAndGet, ends::add))
                              .isTrue());
              assertThat(ends).isEmpty();
              template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                  .executeWithoutResult(own -> transactions.register(() -> {}, ends::add));
              assertThat(ends)
                  .as("of the same manager")
                  .containsExactly(Transactions.End.COMMITTED);
              if (rolledBack) {
                outer.setRollbackOnly();
              }
            });
    assertThat(ends)
        .hasSize(2)
        .endsWith(rolledBack ? Transactions.End.ROLLED_BACK : Transactions.End.COMMITTED);
    assertThat(renewed).hasValue(rolledBack ? 1 : 2);
  }

  private TransactionTemplate template(int propagation) {
    TransactionTemplate template = new TransactionTemplate(manager);
    template.setPropagationBehavior(propagation);
    return template;
  }
}
