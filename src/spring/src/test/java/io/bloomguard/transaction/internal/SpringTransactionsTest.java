package io.bloomguard.transaction.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** How old the reads of a thread may be, by what Spring binds to it. */
class SpringTransactionsTest {

  private final SpringTransactions transactions = new SpringTransactions();
  private final JdbcTemplate jdbc =
      new JdbcTemplate(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID()));
  private final JdbcTransactionManager manager = new JdbcTransactionManager(jdbc.getDataSource());

  /** The waits and the ends of transactions, in their order. */
  private final List<String> steps = new ArrayList<>();

  private final Noted noted = new Noted();

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

  /**
   * What it wrote is visible or undone; a suspended one of another manager may still commit rows.
   */
  @Test
  void aTransactionIsCompletedUnlessAnotherManagersIsOpen() {
    transactions.postProcessBeforeInitialization(manager, "manager");
    transactions.postProcessBeforeInitialization(noted, "noted");
    List<Boolean> completing = new ArrayList<>();
    TransactionSynchronization asking =
        new TransactionSynchronization() {
          @Override
          public void afterCommit() {
            assertThat(transactions.isCompleting()).isFalse();
          }

          @Override
          public void afterCompletion(int outcome) {
            completing.add(transactions.isCompleting());
          }
        };
    TransactionTemplate inner = template(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    Runnable work =
        () ->
            inner.executeWithoutResult(
                status -> {
                  assertThat(transactions.isCompleting()).isFalse();
                  TransactionSynchronizationManager.registerSynchronization(asking);
                });
    work.run();
    assertThat(transactions.isCompleting()).isFalse();
    template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(own -> work.run());
    noted(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(others -> work.run());
    assertThat(completing).containsExactly(true, true, false);
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

  /** A wait for copies in other processes, noted together with what the transaction has done. */
  private PendingAdd.Wait copies(String name) {
    return new PendingAdd.Wait() {
      private boolean begun;

      @Override
      public CompletableFuture<?> told() {
        if (!begun) {
          begun = true;
          steps.add(name);
        }
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public boolean includes(PendingAdd.Wait earlier) {
        return false;
      }
    };
  }

  private TransactionSynchronization leaving(String name) {
    return new TransactionSynchronization() {
      @Override
      public void beforeCommit(boolean readOnly) {
        steps.add("before commit");
        assertThat(transactions.awaitBeforeCommit(copies("in commit"))).isTrue();
      }

      @Override
      public void beforeCompletion() {
        steps.add("before completion");
        assertThat(transactions.awaitBeforeCommit(copies("in completion"))).isTrue();
      }

      @Override
      public void afterCommit() {
        assertThat(transactions.awaitBeforeCommit(copies("late"))).isFalse();
      }

      @Override
      public void afterCompletion(int status) {
        steps.add(name);
        assertThat(transactions.awaitBeforeCommit(copies("late"))).isFalse();
      }
    };
  }

  /** Notes its commits, and asks whether they would wait for more. */
  private final class Noted extends JdbcTransactionManager {

    private static final long serialVersionUID = 1L;

    Noted() {
      super(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID()));
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
      assertThat(transactions.awaitBeforeCommit(copies("too late"))).isFalse();
      steps.add("commit");
      super.doCommit(status);
    }
  }

  private TransactionTemplate noted(int propagation) {
    TransactionTemplate template = new TransactionTemplate(noted);
    template.setPropagationBehavior(propagation);
    return template;
  }

  @Test
  void whatIsLeftToATransactionIsWaitedForRightBeforeItsCommit() {
    transactions.postProcessBeforeInitialization(noted, "manager");
    assertThat(transactions.awaitBeforeCommit(copies("outside"))).isFalse();
    noted(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            status -> {
              assertThat(transactions.awaitBeforeCommit(copies("one"))).isTrue();
              TransactionSynchronizationManager.registerSynchronization(leaving("ended"));
              noted(TransactionDefinition.PROPAGATION_NESTED)
                  .executeWithoutResult(
                      nested -> {
                        assertThat(transactions.awaitBeforeCommit(copies("nested"))).isTrue();
                        nested.setRollbackOnly();
                      });
              noted(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                  .executeWithoutResult(
                      own -> assertThat(transactions.awaitBeforeCommit(copies("own"))).isTrue());
              assertThat(steps).containsExactly("own", "commit");
              steps.clear();
            });
    assertThat(steps)
        .containsExactly(
            "before commit",
            "before completion",
            "one",
            "nested",
            "in commit",
            "in completion",
            "commit",
            "ended");
  }

  @Test
  void aTransactionThatIsRolledBackWaitsForNothing() {
    transactions.postProcessBeforeInitialization(noted, "manager");
    noted(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            status -> {
              assertThat(transactions.awaitBeforeCommit(copies("undone"))).isTrue();
              status.setRollbackOnly();
            });
    noted(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {});
    assertThat(steps).containsExactly("commit");
  }

  /** The row may be that of the outer transaction, which may commit although the inner does not. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachTransactionThatMayCommitTheRowWaits(boolean innerCommits) {
    transactions.postProcessBeforeInitialization(manager, "manager");
    transactions.postProcessBeforeInitialization(noted, "noted");
    template(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            outer -> {
              noted(TransactionDefinition.PROPAGATION_REQUIRED)
                  .executeWithoutResult(
                      inner -> {
                        assertThat(transactions.awaitBeforeCommit(copies("row"))).isTrue();
                        if (!innerCommits) {
                          inner.setRollbackOnly();
                        }
                      });
              assertThat(steps.contains("row")).isEqualTo(innerCommits);
            });
    assertThat(steps).as("once").containsOnlyOnce("row");
  }

  @Test
  void aTransactionWhoseManagerIsNotWatchedIsNotLeftAnything() {
    template(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            status -> assertThat(transactions.awaitBeforeCommit(copies("row"))).isFalse());
    transactions.postProcessBeforeInitialization(noted, "noted");
    noted(TransactionDefinition.PROPAGATION_REQUIRED)
        .executeWithoutResult(
            outer ->
                template(TransactionDefinition.PROPAGATION_REQUIRED)
                    .executeWithoutResult(
                        inner ->
                            assertThat(transactions.awaitBeforeCommit(copies("row"))).isFalse()));
  }

  private TransactionTemplate template(int propagation) {
    TransactionTemplate template = new TransactionTemplate(manager);
    template.setPropagationBehavior(propagation);
    return template;
  }
}
