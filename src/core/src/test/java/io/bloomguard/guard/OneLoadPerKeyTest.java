package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.load.LoadSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OneLoadPerKeyTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void fiveHundredCallersOfOneColdKeyCauseOneLoad() throws Exception {
    Guards guards = Guards.over(new KnownKeys("1"));
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch start = new CountDownLatch(1);
    List<Future<@Nullable String>> callers =
        start(
            500,
            () -> {
              start.await();
              return guards.guard.get("1", () -> "value" + loads.incrementAndGet());
            });
    start.countDown();
    for (Future<@Nullable String> caller : callers) {
      assertThat(caller.get()).isEqualTo("value1");
    }
    assertThat(loads).hasValue(1);
    assertThat(guards.count(Outcome.LOADED)).isOne();
    assertThat(guards.total()).isEqualTo(500);
  }

  @Test
  void guardsOfTwoProcessesThatShareACacheCauseOneLoad() throws Exception {
    KnownKeys store = new KnownKeys("1");
    LocalValueCache shared = new LocalValueCache(Guards.CACHE, null);
    Guards one = Guards.with(store, shared, Guards.loads(32));
    Guards two = Guards.with(store, shared, Guards.loads(32));
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    Future<@Nullable String> first =
        threads.submit(
            () ->
                one.guard.get(
                    "1",
                    () -> {
                      loading.countDown();
                      resume.await();
                      return "value" + loads.incrementAndGet();
                    }));
    loading.await();
    Future<@Nullable String> second =
        threads.submit(() -> two.guard.get("1", () -> "value" + loads.incrementAndGet()));
    resume.countDown();
    assertThat(first.get()).isEqualTo("value1");
    assertThat(second.get()).isEqualTo("value1");
  }

  @Test
  void whatAnotherProcessStoredBetweenTheMissAndTheLeaseIsNotLoadedAgain() {
    LocalValueCache shared = new LocalValueCache(Guards.CACHE, null);
    ValueCache slow =
        new LocalCacheThat(shared) {
          @Override
          public @Nullable Lease tryLease(String key) {
            shared.store(ValueCacheContractTest.lease(shared, key), "stored meanwhile");
            return super.tryLease(key);
          }
        };
    Guards guards = Guards.with(new KnownKeys("1"), slow, Guards.loads(32));
    assertThat(guards.guard.get("1", () -> "loaded again")).isEqualTo("stored meanwhile");
    assertThat(guards.count(Outcome.CACHE_HIT)).isOne();
    assertThat(shared.tryLease("1")).as("the lease is free again").isNotNull();
  }

  @Test
  void whoHoldsALeaseQueuesNoLongerThanItsLoadStillFitsIn() throws Exception {
    LocalValueCache shared = new LocalValueCache(Guards.CACHE, null);
    LoadSettings settings =
        TestSettings.loads(1, Duration.ofSeconds(5), Duration.ofHours(1), Duration.ofMillis(30));
    Guards guards = Guards.with(new KnownKeys("1", "2"), shared, settings);
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    Future<@Nullable String> slow =
        threads.submit(
            () ->
                guards.guard.get(
                    "1",
                    () -> {
                      loading.countDown();
                      resume.await();
                      return "value";
                    }));
    loading.await();
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () ->
            assertThatThrownBy(() -> guards.guard.get("2", () -> "value"))
                .isInstanceOf(RequestShedException.class));
    assertThat(shared.tryLease("2")).as("given back").isNotNull();
    resume.countDown();
    assertThat(slow.get()).isEqualTo("value");
  }

  @Test
  void whoWaitsTooLongIsShedAndNeverLoadsUnderAnothersLease() {
    LocalValueCache shared = new LocalValueCache(Guards.CACHE, null);
    ValueCacheContractTest.lease(shared, "1");
    Guards guards =
        Guards.with(
            new KnownKeys("1"),
            shared,
            TestSettings.loads(32, Duration.ofSeconds(5), Duration.ofMillis(30)));
    AtomicInteger loads = new AtomicInteger();
    assertThatThrownBy(() -> guards.guard.get("1", () -> "value" + loads.incrementAndGet()))
        .isInstanceOf(RequestShedException.class);
    assertThatThrownBy(
            () ->
                guards.guard.getAll(
                    List.of("1"),
                    keys -> {
                      loads.incrementAndGet();
                      return java.util.Map.of();
                    }))
        .isInstanceOf(RequestShedException.class);
    assertThat(loads).hasValue(0);
    assertThat(guards.count(Outcome.SHED)).isEqualTo(2);
  }

  /** The ways in which an interrupted load ends. */
  enum Interrupted {
    THROWS,
    THROWS_ANOTHER,
    FORGETS_THE_INTERRUPT;

    String load(CountDownLatch begun) throws InterruptedException {
      begun.countDown();
      try {
        new CountDownLatch(1).await();
        return "never";
      } catch (InterruptedException e) {
        switch (this) {
          case THROWS -> throw e;
          case THROWS_ANOTHER -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the query was cancelled");
          }
          default -> throw new IllegalStateException("the query was cancelled", e);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Interrupted.class)
  void aFollowerLeadsAfterALeaderThatWasInterrupted(Interrupted way) throws Exception {
    Guards guards = Guards.over(new KnownKeys("1"));
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Throwable> leaders = new CompletableFuture<>();
    Thread leader =
        new Thread(
            () -> {
              try {
                guards.guard.get("1", () -> way.load(begun));
              } catch (Throwable e) {
                leaders.complete(e);
              }
            });
    leader.start();
    begun.await();
    AtomicInteger loads = new AtomicInteger();
    ValueLoader<String, RuntimeException> own = () -> "value" + loads.incrementAndGet();
    CompletableFuture<Thread> waiting = new CompletableFuture<>();
    Future<@Nullable String> follower =
        threads.submit(
            () -> {
              waiting.complete(Thread.currentThread());
              return guards.guard.get("1", own);
            });
    Thread followers = waiting.get();
    Awaitility.await().until(() -> followers.getState() == Thread.State.TIMED_WAITING);
    var another = guards.guard.getAsync("1", () -> CompletableFuture.completedFuture(own.load()));
    leader.interrupt();
    assertThat(follower.get(20, TimeUnit.SECONDS)).isEqualTo("value1");
    assertThat(another.toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo("value1");
    assertThat(leaders.get())
        .isInstanceOf(
            way == Interrupted.THROWS ? InterruptedException.class : IllegalStateException.class);
    assertThat(loads).hasValue(1);
  }

  @Test
  void aFullBulkheadShedsWhatTheFilterCouldNotDecide() throws Exception {
    LoadSettings patient = TestSettings.loads(1, Duration.ofSeconds(5), Duration.ofHours(1));
    Guards guards = Guards.with(new KnownKeys(), new LocalValueCache(Guards.CACHE, null), patient);
    guards.store.doubtful = true;
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    Future<@Nullable String> slow =
        threads.submit(
            () ->
                guards.guard.get(
                    "1",
                    () -> {
                      loading.countDown();
                      resume.await();
                      return "value";
                    }));
    loading.await();
    assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () ->
            assertThatThrownBy(() -> guards.guard.get("2", () -> "value"))
                .as("shed at once, not after the wait of an hour")
                .isInstanceOf(RequestShedException.class));
    assertThatThrownBy(() -> guards.guard.call("2", () -> "value"))
        .isInstanceOf(RequestShedException.class);
    resume.countDown();
    assertThat(slow.get()).isEqualTo("value");
    assertThat(guards.guard.get("2", () -> "value")).isEqualTo("value");
  }

  @Test
  void withoutItsValueCacheAProcessStillLoadsAKeyOnceAtATime() throws Exception {
    Guards guards = Guards.with(new KnownKeys("1"), new UnreachableCache(), Guards.loads(32));
    AtomicInteger loading = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Future<@Nullable String>> callers =
        start(
            64,
            () ->
                guards.guard.get(
                    "1",
                    () -> {
                      most.accumulateAndGet(loading.incrementAndGet(), Math::max);
                      Thread.onSpinWait();
                      loading.decrementAndGet();
                      return "value";
                    }));
    for (Future<@Nullable String> caller : callers) {
      assertThat(caller.get()).isEqualTo("value");
    }
    assertThat(most).hasValue(1);
    assertThatThrownBy(() -> guards.guard.put("1"))
        .as("a write that cannot drop stale entries")
        .isInstanceOf(AddFailedException.class);
  }

  @Test
  void whoComesAfterAWriteIsNotGivenWhatWasReadBeforeIt() throws Exception {
    Guards guards = Guards.over(new KnownKeys("1"));
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    Future<@Nullable String> early =
        threads.submit(
            () ->
                guards.guard.get(
                    "1",
                    () -> {
                      loading.countDown();
                      resume.await();
                      return null;
                    }));
    loading.await();
    guards.guard.put("1");
    assertThat(guards.guard.get("1", () -> "written")).isEqualTo("written");
    resume.countDown();
    assertThat(early.get()).isNull();
    assertThat(guards.guard.get("1", () -> "loaded again")).isEqualTo("written");
  }

  @Test
  void whoWaitsForALoadThatAWriteElsewhereOvertookLoadsAnew() throws Exception {
    LocalValueCache shared = new LocalValueCache(Guards.CACHE, null);
    KnownKeys store = new KnownKeys("1");
    Guards here = Guards.with(store, shared, Guards.loads(32));
    Guards elsewhere = Guards.with(store, shared, Guards.loads(32));
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    Future<@Nullable String> early =
        threads.submit(
            () ->
                here.guard.get(
                    "1",
                    () -> {
                      loading.countDown();
                      resume.await();
                      return null;
                    }));
    loading.await();
    elsewhere.guard.put("1");
    assertThat(early).isNotDone();
    Thread[] waiter = new Thread[1];
    Future<@Nullable String> late =
        threads.submit(
            () -> {
              waiter[0] = Thread.currentThread();
              return here.guard.get("1", () -> "written");
            });
    Awaitility.await()
        .until(() -> waiter[0] != null && waiter[0].getState() == Thread.State.TIMED_WAITING);
    resume.countDown();
    assertThat(late.get()).isEqualTo("written");
    assertThat(early.get()).isNull();
  }

  @Test
  void anAsynchronousWaiterOfALoadThatAWriteElsewhereOvertookLoadsAnew() {
    LocalValueCache shared = new LocalValueCache(Guards.CACHE, null);
    KnownKeys store = new KnownKeys("1");
    Guards here = Guards.with(store, shared, Guards.loads(32));
    Guards elsewhere = Guards.with(store, shared, Guards.loads(32));
    CompletableFuture<String> before = new CompletableFuture<>();
    var early = here.guard.getAsync("1", () -> before).toCompletableFuture();
    elsewhere.guard.put("1");
    var late =
        here.guard
            .getAsync("1", () -> CompletableFuture.completedFuture("written"))
            .toCompletableFuture();
    before.complete(null);
    assertThat(early.join()).isNull();
    assertThat(late.join()).isEqualTo("written");
  }

  /**
   * Writers make rows visible between {@code beginWrite} and {@code close}; readers load from the
   * rows. Whoever reads after a write was acknowledged must see its row.
   */
  @Test
  void noReaderMissesARowThatWasAcknowledgedBefore() throws Exception {
    Guards guards = Guards.over(new KnownKeys());
    ConcurrentHashMap<String, String> rows = new ConcurrentHashMap<>();
    ConcurrentHashMap<String, Boolean> acknowledged = new ConcurrentHashMap<>();
    AtomicInteger missed = new AtomicInteger();
    List<Future<Object>> workers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      SplittableRandom random = new SplittableRandom(w);
      workers.add(
          threads.submit(
              () -> {
                for (int i = 0; i < 20_000; i++) {
                  String key = "key" + random.nextInt(2_000);
                  if (random.nextInt(4) == 0) {
                    try (KeyWrites.Write write =
                        guards.guard.writes().beginWrites(List.of(key), List.of())) {
                      rows.put(key, "row");
                    }
                    acknowledged.put(key, true);
                  } else {
                    boolean there = acknowledged.containsKey(key);
                    String value = guards.guard.get(key, () -> rows.get(key));
                    if (there && value == null) {
                      missed.incrementAndGet();
                    }
                  }
                }
                return "done";
              }));
    }
    for (Future<Object> worker : workers) {
      worker.get();
    }
    assertThat(missed).hasValue(0);
  }

  private List<Future<@Nullable String>> start(int callers, Callable<@Nullable String> call) {
    List<Future<@Nullable String>> started = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      started.add(threads.submit(call));
    }
    return started;
  }

  /** A value cache whose server is gone. */
  private static final class UnreachableCache implements ValueCache {

    @Override
    public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
      throw gone();
    }

    @Override
    public @Nullable Lease tryLease(String key) {
      throw gone();
    }

    @Override
    public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
      throw gone();
    }

    @Override
    public void release(Lease lease) {
      throw gone();
    }

    @Override
    public void beginWrite(String key, String token) {
      throw gone();
    }

    @Override
    public void endWrite(String key, String token) {
      throw gone();
    }

    @Override
    public @Nullable Long lastWrite(String key) {
      throw gone();
    }

    private static CacheUnavailableException gone() {
      return new CacheUnavailableException("gone", new IllegalStateException());
    }
  }
}
