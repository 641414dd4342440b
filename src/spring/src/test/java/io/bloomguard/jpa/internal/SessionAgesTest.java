package io.bloomguard.jpa.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.Transactions;
import io.bloomguard.jpa.internal.Entities.Owner;
import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import org.hibernate.StatelessSession;
import org.hibernate.cfg.JdbcSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a session has read before a write is for its own callers alone. */
class SessionAgesTest {

  private static Database database;
  private static BloomGuard<String> owners;

  private long jane;

  @BeforeAll
  static void open() {
    // A session holds its connection, and with it a snapshot of the database.
    database =
        new Database(
            "io.bloomguard.jpa.internal",
            Map.of(JdbcSettings.CONNECTION_PROVIDER_DISABLES_AUTOCOMMIT, true),
            source -> {
              source.setAutoCommit(false);
              source.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            });
    owners = database.guards.guard("owners", String.class);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void insert() {
    jane = inserted("Jane");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anOpenSessionInViewKeepsWhatItHasReadToItself(boolean inTransaction) {
    inView(
        em -> {
          em.find(Owner.class, jane);
          elsewhere(other -> other.find(Owner.class, jane).name = "Joan");
          assertThat(inTransaction ? database.get(tx -> name(em)) : name(em)).isEqualTo("Jane");
        });
    assertThat(inNewTransaction()).isEqualTo("Joan");
  }

  @Test
  void aDeletedRowThatItHasReadIsNotKept() {
    inView(
        em -> {
          em.find(Owner.class, jane);
          elsewhere(other -> other.remove(other.find(Owner.class, jane)));
          assertThat(name(em)).isEqualTo("Jane");
        });
    assertThat(inNewTransaction()).isNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theSnapshotOfAHeldConnectionLeavesNoNull(boolean inTransaction) {
    long[] id = new long[1];
    inView(
        em -> {
          em.createQuery("select count(o) from Owner o", Long.class).getSingleResult();
          elsewhere(
              other -> {
                Owner owner = new Owner("Jim");
                other.persist(owner);
                id[0] = owner.id;
              });
          jane = id[0];
          assertThat(inTransaction ? database.get(tx -> name(em)) : name(em)).isNull();
        });
    assertThat(inNewTransaction()).isEqualTo("Jim");
  }

  @Test
  void aSessionIsAsOldOnAnotherThread() {
    inView(
        em -> {
          em.find(Owner.class, jane);
          elsewhere(other -> other.find(Owner.class, jane).name = "Joan");
          EntityManagerHolder holder = new EntityManagerHolder(em);
          CompletableFuture.runAsync(
                  () -> bound(holder, () -> assertThat(name(em)).isEqualTo("Jane")))
              .join();
        });
    assertThat(inNewTransaction()).isEqualTo("Joan");
  }

  @Test
  void aScopeWithoutATransactionIsAsOldAsItsSession() {
    TransactionTemplate supports =
        new TransactionTemplate(database.transaction.getTransactionManager(), database.transaction);
    supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
    supports.executeWithoutResult(
        status -> {
          database.shared.find(Owner.class, jane);
          elsewhere(other -> other.find(Owner.class, jane).name = "Joan");
          assertThat(name(database.shared)).isEqualTo("Jane");
        });
    assertThat(inNewTransaction()).isEqualTo("Joan");
  }

  /** As one with an extended persistence context, or one that the application opens by hand. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSessionThatIsBoundToNoThreadCountsIfTheLoadReadsInIt(boolean query) {
    try (EntityManager em = database.factory.createEntityManager()) {
      Owner read = CompletableFuture.supplyAsync(() -> em.find(Owner.class, jane)).join();
      elsewhere(other -> other.find(Owner.class, jane).name = "Joan");
      assertThat(inNewTransaction()).as("a use of the thread for others").isEqualTo("Joan");
      database.guards.guard("owners").evict(jane);
      assertThat(query ? queried(em) : name(em)).isEqualTo(read.name).isEqualTo("Jane");
      assertThat(inNewTransaction()).isEqualTo("Joan");
      assertThat(owners.getAll(List.of(jane), keys -> fail("It is kept")))
          .containsEntry(jane, "Joan");
      database.guards.guard("owners").evict(jane);
      assertThat(
              owners.getAll(List.of(jane), keys -> Map.of(jane, em.find(Owner.class, jane).name)))
          .containsEntry(jane, "Jane");
      assertThat(inNewTransaction()).isEqualTo("Joan");
    }
  }

  /** The caller knows the session, or the thread does that the load ends on. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSessionThatIsBoundToNoThreadCountsIfALoadOnAnotherThreadReadsInIt(boolean caller) {
    ExecutorService loads = Executors.newSingleThreadExecutor();
    try (EntityManager em = database.factory.createEntityManager()) {
      Runnable read = () -> em.find(Owner.class, jane);
      CompletableFuture.runAsync(read, caller ? Runnable::run : loads).join();
      elsewhere(other -> other.find(Owner.class, jane).name = "Joan");
      assertThat(later(em, caller ? ForkJoinPool.commonPool() : loads)).isEqualTo("Jane");
      assertThat(inNewTransaction()).isEqualTo("Joan");
    } finally {
      loads.shutdownNow();
    }
  }

  /** It is no older on the thread of the load than on that of its caller. */
  @Test
  void aSessionInViewThatALoadOnAnotherThreadReadsInFillsTheCache() {
    elsewhere(other -> other.find(Owner.class, jane).name = "Joan");
    await()
        .untilAsserted(
            () -> {
              inView(
                  em -> {
                    em.find(Owner.class, jane);
                    later(em, ForkJoinPool.commonPool());
                  });
              assertThat(owners.get(jane, () -> fail("It is kept"))).isEqualTo("Joan");
            });
  }

  /** It keeps no rows: what it returns is of the time of the read, unless its connection is old. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStatelessSessionThatIsHeldIsAsOldAsItsConnection(boolean autoCommit) {
    try (StatelessSession session = database.sessions().openStatelessSession()) {
      session.doWork(connection -> connection.setAutoCommit(autoCommit));
      assertThat(session.get(Owner.class, jane).name).isEqualTo("Jane");
      elsewhere(other -> other.find(Owner.class, jane).name = "Joan");
      assertThat(session.get(Owner.class, jane).name).isEqualTo(autoCommit ? "Joan" : "Jane");
    }
  }

  @Test
  void aThreadKnowsABoundedNumberOfTheSessionsThatItUses() {
    List<EntityManager> all = new ArrayList<>();
    try {
      all.add(database.factory.createEntityManager());
      long opened = System.nanoTime();
      for (int i = 0; i < ThreadSessions.MAX_USED; i++) {
        all.add(database.factory.createEntityManager());
      }
      long moment = System.nanoTime();
      all.get(0).getReference(Owner.class, jane);
      assertThat(database.ages.used().apply(moment)).isLessThan(opened);
      all.forEach(em -> em.getReference(Owner.class, jane));
      assertThat(database.ages.used().apply(moment)).isGreaterThan(opened);
      assertThat(database.ages.used().apply(System.nanoTime())).isNull();
    } finally {
      all.forEach(EntityManager::close);
    }
  }

  @Test
  void aSessionThatIsOpenedAfterTheWriteFillsTheCache() {
    elsewhere(other -> other.find(Owner.class, jane).name = "Joan");
    // The first ones may have been opened at the write's end.
    await()
        .untilAsserted(
            () -> {
              inView(em -> assertThat(name(em)).isEqualTo("Joan"));
              assertThat(owners.get(jane, () -> fail("It is kept"))).isEqualTo("Joan");
            });
  }

  @Test
  void theAgeOfASessionThatIsOpenedPastSpringIsUnknown() {
    assertThat(database.ages.openedAt()).isNull();
    try (EntityManager em = database.sessions().withOptions().openSession()) {
      bound(
          new EntityManagerHolder(em),
          () -> assertThat(age()).isGreaterThanOrEqualTo(Transactions.UNKNOWN_AGE));
    }
    inView(em -> assertThat(age()).isLessThan(Transactions.UNKNOWN_AGE));
  }

  private Duration age() {
    long since = database.ages.openedAt();
    return Duration.ofNanos(System.nanoTime() - since);
  }

  @Test
  void aSessionThatIsNoLongerUsedIsForgotten() {
    for (int i = 0; i < 1000; i++) {
      database.factory.createEntityManager().close();
    }
    await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(database.ages.size()).isLessThan(100);
            });
  }

  private @Nullable String name(EntityManager em) {
    return owners.get(
        jane,
        () -> {
          Owner owner = em.find(Owner.class, jane);
          return owner == null ? null : owner.name;
        });
  }

  private @Nullable String queried(EntityManager em) {
    return owners.get(
        jane,
        () ->
            em.createQuery("from Owner where id = :id", Owner.class)
                .setParameter("id", jane)
                .getSingleResult()
                .name);
  }

  /** The name by a load that reads on another thread, once its caller has returned. */
  private @Nullable String later(EntityManager em, Executor loads) {
    CompletableFuture<Void> returned = new CompletableFuture<>();
    CompletableFuture<@Nullable String> found =
        owners
            .getAsync(
                jane,
                () -> returned.thenApplyAsync(nothing -> em.find(Owner.class, jane).name, loads))
            .toCompletableFuture();
    returned.complete(null);
    return found.join();
  }

  private @Nullable String inNewTransaction() {
    return database.get(this::name);
  }

  private static long inserted(String name) {
    Owner owner = new Owner(name);
    database.write(em -> em.persist(owner));
    return owner.id;
  }

  private static void elsewhere(Consumer<EntityManager> work) {
    CompletableFuture.runAsync(() -> database.write(work)).join();
  }

  /** Works in a session that is bound to the thread, as that of a request is. */
  private static void inView(Consumer<EntityManager> page) {
    try (EntityManager em = database.factory.createEntityManager()) {
      bound(new EntityManagerHolder(em), () -> page.accept(em));
    }
  }

  private static void bound(EntityManagerHolder holder, Runnable work) {
    TransactionSynchronizationManager.bindResource(database.factory, holder);
    try {
      work.run();
    } finally {
      TransactionSynchronizationManager.unbindResource(database.factory);
    }
  }
}
