package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.When;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.transaction.internal.SpringTransactions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.data.repository.reactive.ReactiveCrudRepository;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Writes and guarded reads in transactions that a subscriber's context carries. */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveTransactionTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  /** The committed rows; a transaction's own changes are in its context until the commit. */
  private static final Map<Long, String> ROWS = new ConcurrentHashMap<>();

  /** Ends the commits that are under way. */
  private static volatile CompletableFuture<Void> commit = new CompletableFuture<>();

  private static volatile boolean commitFails;
  private static volatile CompletableFuture<Void> committing = new CompletableFuture<>();

  private final TestGuards guards = new TestGuards(new SpringTransactions(), UnknownPolicy.OPEN);
  private AnnotationConfigApplicationContext context;
  private Repository repository;
  private Service service;
  private TransactionalOperator operator;

  /** A transaction of the map. */
  static class Tx {
    final Map<Long, Optional<String>> changes = new ConcurrentHashMap<>();
  }

  static class Manager extends AbstractReactiveTransactionManager {

    @Override
    protected Object doGetTransaction(TransactionSynchronizationManager manager) {
      return new Object[] {manager.getResource("tx")};
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
      return ((Object[]) transaction)[0] != null;
    }

    @Override
    protected Mono<Void> doBegin(
        TransactionSynchronizationManager manager,
        Object transaction,
        TransactionDefinition definition) {
      return Mono.fromRunnable(
          () -> {
            Tx tx = new Tx();
            ((Object[]) transaction)[0] = tx;
            manager.bindResource("tx", tx);
          });
    }

    @Override
    protected Mono<Object> doSuspend(
        TransactionSynchronizationManager manager, Object transaction) {
      return Mono.fromSupplier(() -> manager.unbindResource("tx"));
    }

    @Override
    protected Mono<Void> doResume(
        TransactionSynchronizationManager manager, @Nullable Object transaction, Object suspended) {
      return Mono.fromRunnable(() -> manager.bindResource("tx", suspended));
    }

    @Override
    protected Mono<Void> doCommit(
        TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
      Tx tx = (Tx) ((Object[]) status.getTransaction())[0];
      return Mono.fromRunnable(() -> committing.complete(null))
          .then(Mono.fromFuture(() -> commit, true))
          .then(
              Mono.fromRunnable(
                  () -> {
                    tx.changes.forEach(
                        (id, row) ->
                            row.ifPresentOrElse(name -> ROWS.put(id, name), () -> ROWS.remove(id)));
                    if (commitFails) {
                      throw new TransactionSystemException("the answer to the commit is lost");
                    }
                  }));
    }

    @Override
    protected Mono<Void> doRollback(
        TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
      return Mono.empty();
    }

    @Override
    protected Mono<Void> doCleanupAfterCompletion(
        TransactionSynchronizationManager manager, Object transaction) {
      return Mono.fromRunnable(() -> manager.unbindResource("tx"));
    }
  }

  private static Mono<Optional<Tx>> tx() {
    return TransactionSynchronizationManager.forCurrentTransaction()
        .map(manager -> Optional.ofNullable((Tx) manager.getResource("tx")))
        .onErrorReturn(Optional.empty());
  }

  private static Mono<Void> set(long id, @Nullable String name) {
    return tx().doOnNext(
            tx -> {
              if (tx.isPresent()) {
                tx.get().changes.put(id, Optional.ofNullable(name));
              } else if (name == null) {
                ROWS.remove(id);
              } else {
                ROWS.put(id, name);
              }
            })
        .then();
  }

  private static Mono<String> read(long id) {
    return tx().mapNotNull(
            tx ->
                tx.map(own -> own.changes.get(id))
                    .orElse(Optional.ofNullable(ROWS.get(id)))
                    .orElse(null));
  }

  record Row(@Nullable Long id, String name) {}

  static class Repository {

    static final AtomicInteger READS = new AtomicInteger();

    @BloomGuarded(filter = "products", key = "#id")
    public Mono<String> find(long id) {
      return read(id).doOnSubscribe(subscription -> READS.incrementAndGet());
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "lists")
    public Flux<String> findAll(long id) {
      return read(id).flux();
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public Flux<Row> findSeveral(List<Long> ids) {
      return Flux.fromIterable(ids).concatMap(id -> read(id).map(name -> new Row(id, name)));
    }

    @BloomPut(filter = "products", key = "#result.id")
    public Mono<Row> insertAndFind(long drawn, Flux<String> lookup) {
      return set(drawn, "new")
          .then(lookup.collectList())
          .map(found -> new Row(drawn, String.join(" ", found)));
    }

    @BloomPut(filter = "products", key = "#id")
    public Mono<Void> save(long id, String name) {
      return set(id, name);
    }

    @BloomPut(filter = "products", key = "#id")
    public Flux<String> saveAll(long id, String name) {
      return set(id, name).thenMany(Flux.just(name));
    }

    @Transactional
    @BloomPut(filter = "products", key = "#id")
    public Mono<Void> saveInTransaction(long id, String name) {
      return set(id, name);
    }

    /** The database draws the id. */
    @BloomPut(filter = "products", key = "#result.id")
    public Mono<Row> insert(@Nullable Long drawn, String name) {
      return Mono.justOrEmpty(drawn)
          .flatMap(id -> set(id, name).thenReturn(new Row(id == 0 ? null : id, name)));
    }

    /** The database draws the ids. */
    @BloomPut(filter = "products", key = "#result.id")
    public Flux<Row> insertAll(List<Long> drawn) {
      return Flux.fromIterable(drawn).concatMap(id -> insert(id, "new"));
    }

    /** Says of its own rows whether each is found while the others are written. */
    @BloomPut(filter = "products", key = "#result.id")
    public Flux<Row> insertAndFindAll(List<Long> drawn, Function<Long, Mono<String>> lookup) {
      return Flux.fromIterable(drawn)
          .concatMap(id -> set(id, "new").then(lookup.apply(id)).map(found -> new Row(id, found)));
    }

    @Transactional
    @BloomPut(filter = "products", key = "#result.id")
    public Mono<Row> insertInTransaction(long drawn, String name) {
      return insert(drawn, name);
    }

    @BloomEvict(filter = "products", key = "#id")
    public Mono<Void> evict(long id) {
      return Mono.empty();
    }

    @BloomEvict(filter = "products", key = "#id")
    public Mono<Void> delete(long id) {
      return set(id, null);
    }
  }

  static class Service {

    final Repository repository;

    Service(Repository repository) {
      this.repository = repository;
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public Mono<String> findInAnother(long id) {
      return repository.find(id);
    }

    @Transactional
    public Mono<String> renameAndFindInAnother(long id, String name, Service self) {
      return repository.save(id, name).then(self.findInAnother(id));
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  static class Transactions {
    @Bean
    ReactiveTransactionManager manager() {
      return new Manager();
    }

    @Bean
    Repository repository() {
      return new Repository();
    }

    @Bean
    Service service(Repository repository) {
      return new Service(repository);
    }
  }

  /** The transaction inside of our advisors. */
  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE)
  static class TransactionInside extends Transactions {}

  @BeforeEach
  void start() {
    start(Transactions.class);
  }

  private void start(Class<?> configuration) {
    ROWS.clear();
    commit = CompletableFuture.completedFuture(null);
    commitFails = false;
    committing = new CompletableFuture<>();
    context = Guarding.context(guards, new SpringTransactions(), configuration);
    repository = context.getBean(Repository.class);
    service = context.getBean(Service.class);
    operator = TransactionalOperator.create(context.getBean(ReactiveTransactionManager.class));
    row(1, "old");
  }

  private void row(long id, String name) {
    ROWS.put(id, name);
    guards.keys.add(String.valueOf(id));
  }

  @AfterEach
  void stop() {
    commit.complete(null);
    context.close();
  }

  private @Nullable String find(long id) {
    return repository.find(id).block(LONG);
  }

  /** Reads a key while the transaction of {@code write} commits, and after that. */
  private @Nullable String afterAReadDuring(Mono<?> write, long id) {
    commit = new CompletableFuture<>();
    committing = new CompletableFuture<>();
    CompletableFuture<?> written = write.toFuture();
    assertThat(committing).succeedsWithin(LONG);
    find(id);
    commit.complete(null);
    assertThat(written).succeedsWithin(LONG);
    return find(id);
  }

  @Test
  void aTransactionWaitsForCopiesInOtherProcessesAtItsAdds() {
    assertWaits(operator.transactional(repository.save(3, "new")));
    assertWaits(repository.saveInTransaction(4, "new"));
    assertWaits(repository.insertInTransaction(5, "new"));
  }

  private void assertWaits(Mono<?> write) {
    committing = new CompletableFuture<>();
    guards.copies.hold();
    CompletableFuture<?> written = write.toFuture();
    await().until(() -> guards.copies.waiting() == 1);
    assertThat(committing).isNotDone();
    guards.copies.tell();
    assertThat(written).succeedsWithin(LONG);
    assertThat(committing).isDone();
  }

  @Test
  void aReadDuringACommitLeavesNoStaleValueAndNoStaleNull() {
    assertThat(afterAReadDuring(repository.saveInTransaction(1, "new"), 1)).isEqualTo("new");
    assertThat(afterAReadDuring(repository.saveInTransaction(2, "new"), 2)).isEqualTo("new");
    Mono<Void> operated = operator.transactional(repository.save(3, "new"));
    assertThat(afterAReadDuring(operated, 3)).isEqualTo("new");
    Flux<String> flux = operator.transactional(repository.saveAll(4, "new"));
    assertThat(afterAReadDuring(flux.collectList(), 4)).isEqualTo("new");
    assertThat(afterAReadDuring(operator.transactional(repository.delete(1)), 1)).isNull();
    row(1, "again");
    assertThat(find(1)).as("a null entry, kept after the commit").isNull();
  }

  @Test
  void anEvictionAfterTheEndOfATransactionKeepsItsKeyInTheCaches() {
    find(1);
    operator
        .transactional(
            TransactionSynchronizationManager.forCurrentTransaction()
                .doOnNext(manager -> manager.registerSynchronization(new Evicting()))
                .then(set(1, "new")))
        .block(LONG);
    assertThat(find(1)).isEqualTo("new");
    ROWS.put(1L, "newer");
    assertThat(find(1)).as("kept").isEqualTo("new");
  }

  private final class Evicting implements TransactionSynchronization {
    @Override
    public Mono<Void> afterCompletion(int status) {
      return repository.evict(1);
    }
  }

  @Test
  void theTransactionMayBeInsideOfTheWrite() {
    context.close();
    start(TransactionInside.class);
    assertThat(afterAReadDuring(repository.saveInTransaction(1, "new"), 1)).isEqualTo("new");
    assertThat(afterAReadDuring(repository.saveInTransaction(2, "new"), 2)).isEqualTo("new");
  }

  @Test
  void theKeyIsInTheFilterBeforeTheCommit() {
    commit = new CompletableFuture<>();
    CompletableFuture<Void> saved = repository.saveInTransaction(7, "new").toFuture();
    assertThat(committing).succeedsWithin(LONG);
    assertThat(guards.keys).contains("7");
    commit.complete(null);
    assertThat(saved).succeedsWithin(LONG);
    untilKept(7);
  }

  /** The barrier is lifted: what is read is kept. */
  private void untilKept(long id) {
    await()
        .untilAsserted(
            () -> {
              find(id);
              int before = Repository.READS.get();
              find(id);
              assertThat(Repository.READS.get()).isEqualTo(before);
            });
  }

  @Test
  void aTransactionReadsItsOwnRowsAndSharesNothingOfThem() {
    assertThat(find(1)).isEqualTo("old");
    Mono<String> rolledBack =
        operator.transactional(
            repository
                .save(1, "dirty")
                .then(repository.find(1))
                .flatMap(seen -> Mono.error(new IllegalStateException(seen))));
    assertThat(rolledBack.onErrorResume(e -> Mono.just(e.getMessage())).block(LONG))
        .isEqualTo("dirty");
    assertThat(find(1)).isEqualTo("old");
    Mono<String> flux =
        operator.transactional(
            repository
                .save(1, "dirty")
                .then(repository.findAll(1).next())
                .flatMap(seen -> Mono.error(new IllegalStateException(seen))));
    assertThat(flux.onErrorResume(e -> Mono.just(e.getMessage())).block(LONG)).isEqualTo("dirty");
    assertThat(find(1)).isEqualTo("old");
  }

  @Test
  void anotherTransactionWithinOneDoesNotSeeItsRows() {
    assertThat(service.renameAndFindInAnother(1, "new", service).block(LONG)).isEqualTo("old");
    assertThat(find(1)).isEqualTo("new");
    untilKept(1);
  }

  @Test
  void aRollbackLiftsTheBarrierAndCostsOneFalsePositive() {
    Mono<Void> failing =
        operator.transactional(
            repository.save(9, "new").then(Mono.error(new IllegalStateException("no"))));
    failing.onErrorComplete().block(LONG);
    assertThat(guards.keys).contains("9");
    assertThat(find(9)).isNull();
    row(9, "unseen");
    assertThat(find(9)).as("a null entry").isNull();
  }

  /** Its statement ends before the transaction does. */
  @Test
  void aTransactionThatIsCancelledLiftsTheBarrierAtItsRollback() {
    Mono<Void> waiting = operator.transactional(repository.save(1, "new").then(Mono.never()));
    CompletableFuture<Void> written = waiting.toFuture();
    await().untilAsserted(() -> assertThat(guards.guard("products").check(1)).isNotNull());
    written.cancel(true);
    untilKept(1);
    assertThat(find(1)).isEqualTo("old");
  }

  @Test
  void aCommitWhoseAnswerIsLostKeepsTheBarrier() {
    commitFails = true;
    repository.saveInTransaction(1, "new").onErrorComplete().block(LONG);
    find(1);
    int before = Repository.READS.get();
    assertThat(find(1)).isEqualTo("new");
    assertThat(Repository.READS.get()).isEqualTo(before + 1);
  }

  @Test
  void aKeyThatTheDatabaseDrawsIsInTheFilterBeforeTheCommit() {
    for (Mono<Row> insert :
        List.of(
            repository.insert(21L, "new"),
            repository.insertInTransaction(22, "new"),
            operator.transactional(repository.insert(23L, "new")))) {
      commit = new CompletableFuture<>();
      committing = new CompletableFuture<>();
      CompletableFuture<Row> written = insert.toFuture();
      assertThat(committing).succeedsWithin(LONG);
      Set<String> added = Set.copyOf(guards.keys);
      commit.complete(null);
      Long id = written.join().id();
      assertThat(added).contains(String.valueOf(id));
      assertThat(find(id)).isEqualTo("new");
      untilKept(id);
    }
  }

  @Test
  void eachKeyOfAFluxIsInTheFilterBeforeTheCommit() {
    for (Flux<Row> insert :
        List.of(
            repository.insertAll(List.of(31L, 32L, 33L)),
            operator.transactional(repository.insertAll(List.of(34L, 35L))))) {
      commit = new CompletableFuture<>();
      committing = new CompletableFuture<>();
      CompletableFuture<List<Row>> written = insert.collectList().toFuture();
      assertThat(committing).succeedsWithin(LONG);
      Set<String> added = Set.copyOf(guards.keys);
      commit.complete(null);
      for (Row row : written.join()) {
        assertThat(added).contains(String.valueOf(row.id()));
        assertThat(find(row.id())).isEqualTo("new");
        untilKept(row.id());
      }
    }
    assertThat(repository.insertAll(List.of()).collectList().block(LONG)).isEmpty();
  }

  /** As a repository of Spring Data R2DBC, whose inherited writes are annotated. */
  interface Rows extends ReactiveCrudRepository<Row, Long> {

    @Override
    @BloomPut(filter = "products", key = "#result.id")
    <S extends Row> Flux<S> saveAll(Iterable<S> rows);

    @Override
    @BloomPut(filter = "products", key = "#result.id")
    <S extends Row> Mono<S> save(S row);

    @Override
    @BloomEvict(filter = "products", key = "#row.id")
    Mono<Void> delete(Row row);
  }

  static class RowsFactory implements FactoryBean<Rows> {

    @Override
    public Rows getObject() {
      ProxyFactory factory = new ProxyFactory();
      factory.addInterface(Rows.class);
      factory.addAdvice((MethodInterceptor) call -> written(call.getArguments()[0], call));
      return (Rows) factory.getProxy(Rows.class.getClassLoader());
    }

    private static Object written(Object argument, MethodInvocation call) {
      return argument instanceof Iterable<?> rows
          ? Flux.fromIterable(rows).concatMap(row -> written(row, "new"))
          : written(argument, call.getMethod().getName().equals("delete") ? null : "new");
    }

    private static Mono<Row> written(Object row, @Nullable String name) {
      Row one = (Row) row;
      return set(one.id(), name).then(name == null ? Mono.empty() : Mono.just(one));
    }

    @Override
    public Class<?> getObjectType() {
      return Rows.class;
    }
  }

  @Test
  void theInheritedWritesOfARepositoryTellOnceTheyAreOverridden() {
    try (var own =
        Guarding.context(guards, new SpringTransactions(), Transactions.class, RowsFactory.class)) {
      Rows rows = own.getBean(Rows.class);
      commit = new CompletableFuture<>();
      committing = new CompletableFuture<>();
      CompletableFuture<?> written =
          rows.saveAll(List.of(new Row(41L, "a"), new Row(42L, "b"))).collectList().toFuture();
      assertThat(committing).succeedsWithin(LONG);
      assertThat(guards.keys).contains("41", "42");
      commit.complete(null);
      assertThat(written).succeedsWithin(LONG);
      rows.save(new Row(43L, "c")).block(LONG);
      assertThat(guards.keys).contains("43");
      assertThat(find(41)).isEqualTo("new");
      rows.delete(new Row(41L, "a")).block(LONG);
      assertThat(find(41)).isNull();
    }
  }

  @Test
  void aFluxWithARowWithoutAKeyIsRolledBack() {
    assertThatThrownBy(() -> repository.insertAll(List.of(36L, 0L)).collectList().block(LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is null after the method has returned");
    assertThat(ROWS).doesNotContainKeys(36L, 0L);
  }

  @Test
  void aFluxFindsItsOwnRowsBeforeTheirKeysHaveCome() {
    List<Row> rows =
        operator
            .transactional(
                repository.insertAndFindAll(List.of(37L, 38L), id -> repository.find(id)))
            .collectList()
            .block(LONG);
    assertThat(rows).containsExactly(new Row(37L, "new"), new Row(38L, "new"));
  }

  @Test
  void aTransactionFindsItsOwnRowsBySeveralKeysBeforeTheirKeysHaveCome() {
    Flux<String> lookup = repository.findSeveral(List.of(24L, 25L)).map(Row::name);
    Row row = operator.transactional(repository.insertAndFind(24, lookup)).block(LONG);
    assertThat(row).isEqualTo(new Row(24L, "new"));
    assertThat(repository.findSeveral(List.of(25L)).collectList().block(LONG)).isEmpty();
  }

  @Test
  void aRowWhoseDrawnKeyCannotBeAddedIsRolledBack() {
    assertThatThrownBy(() -> repository.insert(0L, "no key").block(LONG))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is null after the method has returned");
    assertThat(ROWS).doesNotContainKey(0L);
    assertThatThrownBy(() -> repository.insert(null, "no row").block(LONG))
        .isInstanceOf(IllegalStateException.class);
  }

  static class Drawing {
    @BloomPut(filter = "products", key = "#result.id")
    public Mono<Row> insert(String name) {
      return Mono.empty();
    }
  }

  static class DrawingInFuture {
    @BloomPut(filter = "products", key = "#result", when = When.AFTER)
    public CompletableFuture<Long> insert(String name) {
      return CompletableFuture.completedFuture(1L);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoManagers {
    @Bean
    ReactiveTransactionManager orders() {
      return new Manager();
    }

    @Bean
    ReactiveTransactionManager customers() {
      return new Manager();
    }
  }

  @Test
  void aDrawnKeyNeedsATransactionThatIsKnownToBegin() {
    assertThatThrownBy(
            () -> Guarding.context(guards, new SpringTransactions(), Drawing.class).close())
        .hasMessageContaining("the application has no reactive transaction manager");
    assertThatThrownBy(
            () ->
                Guarding.context(guards, new SpringTransactions(), TwoManagers.class, Drawing.class)
                    .close())
        .hasMessageContaining("[orders, customers]");
    assertThatThrownBy(
            () ->
                Guarding.context(
                        guards, new SpringTransactions(), Transactions.class, DrawingInFuture.class)
                    .close())
        .hasMessageContaining("#result");
  }

  /** A manager of the application's own that synchronizes nothing. */
  static class Unsynchronized implements ReactiveTransactionManager {

    @Override
    public Mono<ReactiveTransaction> getReactiveTransaction(
        @Nullable TransactionDefinition definition) {
      return Mono.just(new ReactiveTransaction() {});
    }

    @Override
    public Mono<Void> commit(ReactiveTransaction transaction) {
      return Mono.empty();
    }

    @Override
    public Mono<Void> rollback(ReactiveTransaction transaction) {
      return Mono.empty();
    }
  }

  @Test
  void aTransactionWhoseEndIsNotSeenKeepsTheBarrier(CapturedOutput output) {
    TransactionalOperator unseen = TransactionalOperator.create(new Unsynchronized());
    unseen.transactional(repository.save(1, "new")).block(LONG);
    find(1);
    int before = Repository.READS.get();
    assertThat(find(1)).isEqualTo("new");
    assertThat(Repository.READS.get()).as("nothing is kept").isEqualTo(before + 1);
    unseen.transactional(repository.delete(1)).block(LONG);
    assertThat(find(1)).isNull();
    row(1, "again");
    assertThat(find(1)).as("no null is kept").isEqualTo("again");
    assertThat(output).containsOnlyOnce("A reactive transaction manager synchronizes nothing");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWriteOutsideOfTransactionsEndsWithItsPublisher(boolean scopeWithoutTransaction) {
    Mono<Void> save = repository.save(1, "new");
    if (scopeWithoutTransaction) {
      TransactionDefinition supports =
          new org.springframework.transaction.support.DefaultTransactionDefinition(
              TransactionDefinition.PROPAGATION_SUPPORTS);
      save =
          TransactionalOperator.create(context.getBean(ReactiveTransactionManager.class), supports)
              .transactional(save);
    }
    save.block(LONG);
    find(1);
    int before = Repository.READS.get();
    assertThat(find(1)).isEqualTo("new");
    assertThat(Repository.READS.get()).isEqualTo(before);
    assertThat(guards.guard("products").check(1)).isNotEqualTo(Membership.ABSENT);
  }
}
