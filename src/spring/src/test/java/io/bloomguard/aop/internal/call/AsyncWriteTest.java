package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.aop.internal.compile.GuardedMethods;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Findings;
import io.bloomguard.guard.GuardedFilters;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.SlowCopies;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadSettings;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.sql.SQLRecoverableException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Writes in futures and publishers, while the adds and the barriers of their filters wait. */
class AsyncWriteTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final List<String> events = new CopyOnWriteArrayList<>();

  /** The threads on which the guard has worked for the filters and their caches. */
  private final Set<String> threads = ConcurrentHashMap.newKeySet();

  private final Set<String> keys = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Duration> transaction = new AtomicReference<>();
  private final ExecutorService loop =
      Executors.newSingleThreadExecutor(task -> new Thread(task, "loop"));
  private volatile CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
  private volatile CompletableFuture<Void> end = CompletableFuture.completedFuture(null);
  private volatile CompletableFuture<Void> check = CompletableFuture.completedFuture(null);
  private volatile boolean refuses;

  /** The copies of the filters in other processes. */
  private final SlowCopies copies = new SlowCopies();

  /** Whether no barrier can be raised in the caches. */
  private volatile boolean away;

  private GuardRegistry registry;
  private AnnotationConfigApplicationContext context;
  private Rows rows;
  private Rows target;

  @BeforeEach
  void start() {
    start(SOON);
  }

  /**
   * @param longestWrite the time after which a write counts as ended whose end was not seen
   */
  private void start(Duration longestWrite) {
    registry =
        TestSettings.registry(
            List.of(filter("products"), filter("codes")),
            this::cache,
            new KeyRules(256),
            // One call at a time: a test that leaves one under way fails the next.
            new LoadSettings(2, SOON, SOON, SOON, 1, longestWrite),
            new AgeOnly());
    context = new AnnotationConfigApplicationContext();
    context.registerBean(EntryGuards.class, () -> registry);
    context.registerBean(
        GuardedMethods.class,
        () -> new GuardedMethods(() -> registry, new AgeOnly(), TestGuards.OWNED, Findings.PLAIN));
    target = new Rows(events);
    context.registerBean(Rows.class, () -> target);
    context.register(Guarding.Advisors.class);
    context.refresh();
    rows = context.getBean(Rows.class);
  }

  private final class AgeOnly implements Transactions {
    @Override
    public boolean register(Runnable beforeCommit, Completion afterCompletion) {
      return false;
    }

    @Override
    public @Nullable Long readsSince() {
      return transaction.get() == null ? null : Long.valueOf(System.nanoTime());
    }

    @Override
    public UnaryOperator<Object> publisherBoundary(String manager) {
      return UnaryOperator.identity();
    }
  }

  @AfterEach
  void stop() {
    transaction.set(null);
    answer.complete(null);
    check.complete(null);
    end.complete(null);
    copies.clear();
    // Whatever the test did has ended its call.
    soon()
        .untilAsserted(
            () -> assertThat(registry.guard("codes").checkAsync(1)).succeedsWithin(SOON));
    loop.shutdownNow();
    context.close();
    registry.close();
  }

  private GuardedFilter filter(String name) {
    MembershipStore store =
        new MembershipStore() {
          @Override
          public Membership check(String key) {
            check.join();
            return keys.contains(name + key) ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
          }

          @Override
          public CompletableFuture<Membership[]> checkAsync(
              List<String> asked, java.util.concurrent.Executor waiting) {
            return CompletableFuture.supplyAsync(() -> checkAll(asked), waiting);
          }

          @Override
          public PendingAdd beginAdd(List<String> added) {
            return copies.add(name, addEach(added));
          }

          @Override
          public boolean[] addEach(List<String> added) {
            note("add " + name + added);
            answer.join();
            if (refuses) {
              throw new AddFailedException("refused by the test", null);
            }
            added.forEach(key -> keys.add(name + key));
            return new boolean[added.size()];
          }
        };
    return GuardedFilters.of(
        name, store, UnknownPolicy.OPEN, new OutcomeCounters(), GuardListener.NONE, SOON);
  }

  private ValueCache cache(String name) {
    ValueCache cache = new LocalValueCache(TestSettings.CACHE, null);
    return (ValueCache)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ValueCache.class},
            (proxy, method, arguments) -> {
              if (method.getName().endsWith("Writes")) {
                note(method.getName() + " " + name);
              }
              if (method.getName().equals("endWrites")) {
                end.join();
              }
              if (away && method.getName().equals("beginWrites")) {
                throw new CacheUnavailableException("away", null);
              }
              return method.invoke(cache, arguments);
            });
  }

  private void note(String event) {
    events.add(event);
    threads.add(Thread.currentThread().getName());
  }

  static class Rows {

    private final List<String> events;
    volatile CompletableFuture<String> row = new CompletableFuture<>();
    volatile String method = "";

    Rows(List<String> events) {
      this.events = events;
    }

    /** For the proxy. */
    Rows() {
      this(List.of());
    }

    private CompletableFuture<String> written() {
      method = Thread.currentThread().getName();
      events.add("method");
      return row.thenApply(
          value -> {
            events.add("row");
            return value;
          });
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Mono<String> find(Object id) {
      return Mono.just("row");
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public Flux<String> findAll(Object id) {
      return Flux.just("row");
    }

    @BloomPut(filter = "products", key = "#id")
    public CompletableFuture<String> put(Object id) {
      return written();
    }

    @BloomPut(filter = "products", key = "#id")
    public Mono<String> putMono(Object id) {
      return Mono.fromFuture(written());
    }

    @BloomPut(filter = "products", key = "#id")
    public Flux<String> putFlux(Object id) {
      return Flux.concat(Mono.fromFuture(written()), Mono.just("two"));
    }

    @BloomPut(filter = "products", key = "#id")
    @BloomPut(filter = "codes", key = "#code")
    public Mono<String> putBoth(long id, String code) {
      return Mono.fromFuture(written());
    }

    @BloomPut(filter = "products", key = "#id")
    @BloomPut(filter = "codes", key = "#result")
    public Mono<String> putDrawn(Object id) {
      return Mono.fromFuture(written());
    }

    @BloomEvict(filter = "products", key = "#id")
    public CompletableFuture<String> evict(Object id) {
      return written();
    }

    @BloomEvict(filter = "products", key = "#id")
    public Mono<String> evictMono(Object id) {
      return Mono.fromFuture(written());
    }

    @BloomEvict(filter = "products", key = "#id")
    public Flux<String> evictFlux(Object id) {
      return Flux.concat(Mono.fromFuture(written()), Mono.just("two"));
    }

    @BloomEvict(filter = "products", key = "#id")
    public Mono<Void> evictEmpty(Object id) {
      return Mono.fromFuture(written()).then();
    }
  }

  /** Calls a method, and subscribes to what it publishes. */
  interface Write {
    CompletableFuture<?> start(Rows rows, @Nullable Object id);
  }

  static List<Write> puts() {
    return List.of(
        (rows, id) -> rows.put(id),
        (rows, id) -> rows.putMono(id).toFuture(),
        (rows, id) -> rows.putFlux(id).collectList().toFuture());
  }

  static List<Write> evictions() {
    return List.of(
        (rows, id) -> rows.evict(id),
        (rows, id) -> rows.evictMono(id).toFuture(),
        (rows, id) -> rows.evictFlux(id).collectList().toFuture(),
        (rows, id) -> rows.evictEmpty(id).toFuture());
  }

  /** Each wait is for another thread's next step. */
  private static ConditionFactory soon() {
    return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
  }

  private CompletableFuture<?> startOnLoop(Write write) throws Exception {
    CompletableFuture<?> written =
        loop.submit(() -> write.start(rows, 7)).get(60, TimeUnit.SECONDS);
    assertThat(loop.submit(() -> "another request").get(60, TimeUnit.SECONDS)).isNotNull();
    return written;
  }

  private void assertElsewhere() {
    assertThat(threads)
        .isNotEmpty()
        .allSatisfy(name -> assertThat(name).startsWith("bloomguard-wait-"));
  }

  private static final List<String> PUT =
      List.of("beginWrites products", "add products[7]", "method", "row", "endWrites products");

  @ParameterizedTest
  @MethodSource("puts")
  void putWaitsOnNoThreadOfTheCaller(Write put) throws Exception {
    answer = new CompletableFuture<>();
    CompletableFuture<?> written = startOnLoop(put);
    soon().untilAsserted(() -> assertThat(events).containsExactlyElementsOf(PUT.subList(0, 2)));
    assertThat(written).isNotDone();
    answer.complete(null);
    soon().untilAsserted(() -> assertThat(events).containsExactlyElementsOf(PUT.subList(0, 3)));
    assertThat(target.method).startsWith("bloomguard-async-");
    assertThat(keys).as("before the row").contains("products7");
    loop.execute(() -> target.row.complete("one"));
    assertThat(written).succeedsWithin(SOON);
    assertThat(events).containsExactlyElementsOf(PUT);
    assertElsewhere();
  }

  @ParameterizedTest
  @MethodSource("puts")
  void failedAddFailsTheWriteBeforeTheMethod(Write put) throws Exception {
    refuses = true;
    CompletableFuture<?> written = startOnLoop(put);
    assertThat(written)
        .failsWithin(SOON)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(AddFailedException.class);
    soon().untilAsserted(() -> assertThat(events).contains("endWrites products"));
    assertThat(events).doesNotContain("method");
    assertElsewhere();
  }

  @ParameterizedTest
  @MethodSource("puts")
  void barrierOfAFailedWriteIsLifted(Write put) throws Exception {
    CompletableFuture<?> written = startOnLoop(put);
    soon().untilAsserted(() -> assertThat(events).contains("method"));
    assertThat(events).doesNotContain("endWrites products");
    IllegalStateException failure = new IllegalStateException("of the database");
    loop.execute(() -> target.row.completeExceptionally(failure));
    assertThat(written).failsWithin(SOON).withThrowableThat().havingRootCause().isSameAs(failure);
    assertThat(events).endsWith("endWrites products");
    assertElsewhere();
  }

  /** A statement may be under way, and commit, although its subscriber has gone. */
  @Test
  void barrierOfACancelledWriteStands() throws Exception {
    for (Write put : puts().subList(1, 3)) {
      cancelUnderWay(put);
      awaitNoCall();
      assertThat(events).containsExactlyElementsOf(PUT.subList(0, 3));
    }
  }

  @Test
  void barrierOfACancelledWriteIsLiftedOnceItsStatementMustHaveEnded() throws Exception {
    restart(Duration.ofMillis(1));
    for (Write put : puts().subList(1, 3)) {
      cancelUnderWay(put);
      soon().untilAsserted(() -> assertThat(events).endsWith("endWrites products"));
      assertThat(events).doesNotContain("row");
      awaitNoCall();
    }
    assertElsewhere();
  }

  private void cancelUnderWay(Write write) throws Exception {
    target.row = new CompletableFuture<>();
    events.clear();
    CompletableFuture<?> written = startOnLoop(write);
    soon().untilAsserted(() -> assertThat(events).contains("method"));
    loop.submit(() -> written.cancel(true)).get(60, TimeUnit.SECONDS);
  }

  private void awaitNoCall() {
    soon()
        .untilAsserted(
            () -> assertThat(registry.guard("codes").checkAsync(1)).succeedsWithin(SOON));
  }

  private void restart(Duration longestWrite) {
    context.close();
    registry.close();
    start(longestWrite);
  }

  static List<Throwable> unseenEnds() {
    return List.of(
        new TimeoutException(),
        new CancellationException(),
        new IllegalStateException(new SocketTimeoutException()),
        new IllegalStateException(new SQLRecoverableException("connection lost")));
  }

  @ParameterizedTest
  @MethodSource("unseenEnds")
  void barrierStandsWhereTheMethodDoesNotSeeTheEndOfItsStatement(Throwable failure)
      throws Exception {
    for (Write put : puts()) {
      target.row = new CompletableFuture<>();
      events.clear();
      CompletableFuture<?> written = startOnLoop(put);
      soon().untilAsserted(() -> assertThat(events).contains("method"));
      loop.execute(() -> target.row.completeExceptionally(failure));
      assertThat(written).failsWithin(SOON);
      awaitNoCall();
      assertThat(events).containsExactlyElementsOf(PUT.subList(0, 3));
    }
  }

  static List<Write> waiting() {
    return List.of(
        (rows, id) -> rows.find(id).toFuture(),
        (rows, id) -> rows.findAll(id).collectList().toFuture(),
        (rows, id) -> rows.putMono(id).toFuture(),
        (rows, id) -> rows.putFlux(id).collectList().toFuture());
  }

  /** Reactor would log each as an error. */
  @ParameterizedTest
  @MethodSource("waiting")
  void callerThatGoesLeavesNoDroppedError(Write call) throws Exception {
    List<Throwable> dropped = new CopyOnWriteArrayList<>();
    Hooks.onErrorDropped(dropped::add);
    try {
      check = new CompletableFuture<>();
      answer = new CompletableFuture<>();
      refuses = true;
      CompletableFuture<?> gone = startOnLoop(call);
      loop.submit(() -> gone.cancel(true)).get(60, TimeUnit.SECONDS);
      check.complete(null);
      answer.complete(null);
      awaitNoCall();
      assertThat(dropped).isEmpty();
    } finally {
      Hooks.resetOnErrorDropped();
    }
  }

  static List<Write> publishedWrites() {
    return List.of(
        (rows, id) -> subscribed(rows.putMono(id)),
        (rows, id) -> subscribed(rows.putFlux(id)),
        (rows, id) -> subscribed(rows.putDrawn(id)));
  }

  /** A subscription, which a cancellation disposes of. */
  private static CompletableFuture<?> subscribed(Publisher<?> published) {
    CompletableFuture<@Nullable Object> ended = new CompletableFuture<>();
    Disposable subscription =
        Flux.from(published)
            .subscribe(value -> {}, ended::completeExceptionally, () -> ended.complete(null));
    var unused = ended.whenComplete((nothing, failure) -> subscription.dispose());
    return ended;
  }

  @ParameterizedTest
  @MethodSource("puts")
  void theMethodRunsOnceCopiesInOtherProcessesHaveTheKey(Write write) throws Exception {
    copies.hold();
    target.row.complete("row");
    CompletableFuture<?> written = startOnLoop(write);
    soon().until(() -> copies.waiting() == 1);
    assertThat(events).containsExactly("beginWrites products", "add products[7]");
    copies.tell();
    assertThat(written).succeedsWithin(SOON);
    assertThat(target.method).startsWith("bloomguard-async-");
  }

  @Test
  void bothFiltersOfAWriteWaitTogether() throws Exception {
    copies.hold();
    target.row.complete("row");
    CompletableFuture<?> written = startOnLoop((each, id) -> each.putBoth(7, "code").toFuture());
    soon().until(() -> copies.waiting() == 2);
    assertThat(events).doesNotContain("method");
    copies.tell();
    assertThat(written).succeedsWithin(SOON);
  }

  @Test
  void aDrawnKeyIsPassedOnOnceCopiesInOtherProcessesHaveIt() throws Exception {
    copies.whenWaited(filter -> events.add("wait " + filter));
    target.row.complete("drawn");
    copies.hold();
    CompletableFuture<?> written = startOnLoop((each, id) -> each.putDrawn(7).toFuture());
    soon().untilAsserted(() -> assertThat(events).contains("wait products"));
    copies.tell();
    copies.hold();
    soon().untilAsserted(() -> assertThat(events).contains("wait codes"));
    assertThat(written).isNotDone();
    copies.tell();
    assertThat(written).succeedsWithin(SOON);
  }

  /** The end of the write is under way by then, of which the subscriber will not hear. */
  @ParameterizedTest
  @MethodSource("publishedWrites")
  void callerThatGoesAfterItsWriteHasFailedLeavesNoDroppedError(Write write) throws Exception {
    List<Throwable> dropped = new CopyOnWriteArrayList<>();
    Hooks.onErrorDropped(dropped::add);
    try {
      CompletableFuture<?> gone = startOnLoop(write);
      soon().untilAsserted(() -> assertThat(events).contains("method"));
      end = new CompletableFuture<>();
      loop.execute(
          () -> target.row.completeExceptionally(new IllegalStateException("failed by the test")));
      soon().untilAsserted(() -> assertThat(events).contains("endWrites products"));
      gone.cancel(true);
      end.complete(null);
      awaitNoCall();
      assertThat(dropped).isEmpty();
    } finally {
      Hooks.resetOnErrorDropped();
    }
  }

  static List<Write> evictingPublishers() {
    return List.of(
        (rows, id) -> rows.evictMono(id).toFuture(),
        (rows, id) -> rows.evictFlux(id).collectList().toFuture());
  }

  @ParameterizedTest
  @MethodSource("evictingPublishers")
  @ExtendWith(OutputCaptureExtension.class)
  void callerThatGoesWhileTheCacheIsAwayLeavesNoLogLine(Write call, CapturedOutput output)
      throws Exception {
    away = true;
    CompletableFuture<?> gone = startOnLoop(call);
    soon().untilAsserted(() -> assertThat(events).contains("method"));
    gone.cancel(true);
    awaitNoCall();
    assertThat(output).doesNotContain("cleanup failed");
  }

  @Test
  void stageOfAnotherThreadHoldsTheBarrierThoughItsCallerHasGone() throws Exception {
    CompletableFuture<?> written = startOnLoop(puts().get(0));
    soon().untilAsserted(() -> assertThat(events).contains("method"));
    written.cancel(true);
    assertThat(events).doesNotContain("endWrites products");
    target.row.complete("one");
    soon().untilAsserted(() -> assertThat(events).containsExactlyElementsOf(PUT));
  }

  @ParameterizedTest
  @MethodSource("puts")
  void writeThatIsCancelledBeforeItsAddHasEndedIsNotMade(Write put) throws Exception {
    answer = new CompletableFuture<>();
    CompletableFuture<?> written = startOnLoop(put);
    soon().untilAsserted(() -> assertThat(events).hasSize(2));
    loop.submit(() -> written.cancel(true)).get(60, TimeUnit.SECONDS);
    assertThat(events).hasSize(2);
    answer.complete(null);
    soon().untilAsserted(() -> assertThat(events).endsWith("endWrites products"));
    assertThat(events).doesNotContain("method");
    assertElsewhere();
  }

  static List<Function<Rows, Publisher<?>>> publishers() {
    return List.of(
        rows -> rows.putMono(7),
        rows -> rows.putFlux(7),
        rows -> rows.evictMono(7),
        rows -> rows.evictFlux(7));
  }

  /** Such as one of several publishers, another of which has failed by then. */
  @ParameterizedTest
  @MethodSource("publishers")
  void writeWhoseSubscriberCancelsAtOnceIsEnded(Function<Rows, Publisher<?>> write) {
    write
        .apply(rows)
        .subscribe(
            new BaseSubscriber<Object>() {
              @Override
              protected void hookOnSubscribe(Subscription subscription) {
                subscription.cancel();
              }
            });
    awaitNoCall();
    soon()
        .untilAsserted(
            () ->
                assertThat(events.contains("beginWrites products"))
                    .isEqualTo(events.contains("endWrites products")));
    assertThat(events).doesNotContain("row");
  }

  @ParameterizedTest
  @MethodSource("puts")
  void nullKeyIsRefusedBeforeAnythingIsBegun(Write put) {
    try {
      assertThat(put.start(rows, null))
          .failsWithin(SOON)
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(IllegalStateException.class);
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("is null before the method runs");
    }
    assertThat(events).isEmpty();
  }

  @Test
  void allKeysAreReadOnTheCallersThreadAndBegunInTheirOrder() throws Exception {
    CompletableFuture<?> written = startOnLoop((rows, id) -> rows.putBoth(7, "seven").toFuture());
    target.row.complete("one");
    assertThat(written).succeedsWithin(SOON);
    assertThat(events)
        .containsExactly(
            "beginWrites products",
            "add products[7]",
            "beginWrites codes",
            "add codes[seven]",
            "method",
            "row",
            "endWrites products",
            "endWrites codes");
  }

  @ParameterizedTest
  @MethodSource("evictions")
  void evictionWaitsOnNoThreadOfTheCaller(Write eviction) throws Exception {
    CompletableFuture<?> written = startOnLoop(eviction);
    assertThat(events).containsExactly("method");
    loop.execute(() -> target.row.complete("one"));
    assertThat(written).succeedsWithin(SOON);
    assertThat(events)
        .containsExactly("method", "row", "beginWrites products", "endWrites products");
    assertElsewhere();
  }

  /** It may have deleted the row all the same. */
  @ParameterizedTest
  @MethodSource("evictions")
  void failedDeletionDropsTheEntries(Write eviction) throws Exception {
    CompletableFuture<?> written = startOnLoop(eviction);
    loop.execute(() -> target.row.completeExceptionally(new IllegalStateException("no")));
    assertThat(written).failsWithin(SOON);
    assertThat(events).containsExactly("method", "beginWrites products", "endWrites products");
    assertElsewhere();
  }

  @Test
  void cancelledDeletionDropsTheEntriesAndLeavesABarrier() throws Exception {
    for (Write eviction : evictions().subList(1, 4)) {
      cancelUnderWay(eviction);
      soon()
          .untilAsserted(
              () -> assertThat(events).containsExactly("method", "beginWrites products"));
      awaitNoCall();
    }
    assertElsewhere();
  }

  @Test
  void barrierOfACancelledDeletionIsLiftedOnceItsStatementMustHaveEnded() throws Exception {
    restart(Duration.ofMillis(1));
    cancelUnderWay(evictions().get(1));
    soon()
        .untilAsserted(
            () ->
                assertThat(events)
                    .containsExactly("method", "beginWrites products", "endWrites products"));
  }

  @Test
  void noMoreWritesAreOpenThanMayBe() throws Exception {
    CompletableFuture<?> first = startOnLoop(puts().get(1));
    soon().untilAsserted(() -> assertThat(events).contains("method"));
    for (Write write : List.of(puts().get(0), puts().get(1), evictions().get(1))) {
      assertThat(write.start(rows, 8))
          .failsWithin(SOON)
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(RequestShedException.class);
    }
    assertThat(events).filteredOn("method"::equals).hasSizeLessThanOrEqualTo(2);
    assertThat(events).doesNotContain("add products[8]");
    target.row.complete("one");
    assertThat(first).succeedsWithin(SOON);
  }

  @ParameterizedTest
  @MethodSource("puts")
  void aTransactionStaysOnItsThread(Write put) {
    transaction.set(Duration.ZERO);
    target.row.complete("one");
    assertThat(put.start(rows, 7)).isCompleted();
    assertThat(events).containsExactlyElementsOf(PUT);
    assertThat(threads).containsExactly(Thread.currentThread().getName());
  }
}
