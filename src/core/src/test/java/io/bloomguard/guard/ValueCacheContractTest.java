package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.UnknownPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every value cache does. Each backend's test extends it. */
public abstract class ValueCacheContractTest {

  protected static final ValueType<String> STRING = ValueType.of(String.class);

  protected static final CacheSettings SETTINGS =
      TestSettings.cache(
          Duration.ofMinutes(10), Duration.ofMinutes(1), 0.2, 1_000, 50, Duration.ofSeconds(30));

  /** A new and empty cache with these settings. */
  protected abstract ValueCache newCache(CacheSettings settings);

  /** Lets {@code time} pass for the cache's leases and entries. */
  protected abstract void pass(ValueCache cache, Duration time) throws Exception;

  @Test
  void nothingStoredIsAMiss() {
    assertThat(newCache(SETTINGS).lookup("a", STRING)).isInstanceOf(CacheLookup.Miss.class);
  }

  @Test
  void aValueStoredUnderItsLeaseIsAHitAndEndsTheLease() {
    ValueCache cache = newCache(SETTINGS);
    assertThat(store(cache, "a", "value")).isEqualTo(StoreResult.STORED);
    assertThat(cache.lookup("a", STRING)).isEqualTo(CacheLookup.hit("value"));
    assertThat(cache.tryLease("a")).isNotNull();
  }

  @Test
  void aNullStoredUnderItsLeaseIsANullHit() {
    ValueCache cache = newCache(SETTINGS);
    assertThat(store(cache, "a", null)).isEqualTo(StoreResult.STORED);
    assertThat(cache.lookup("a", STRING)).isInstanceOf(CacheLookup.NullHit.class);
  }

  @Test
  void aValueOfAGenericTypeComesBackAsItsType() {
    ValueCache cache = newCache(SETTINGS);
    ValueType<Map<String, List<Integer>>> type = new ValueType<>(GenericField.type());
    cache.store(lease(cache, "a"), Map.of("x", List.of(1, 2)), type);
    assertThat(cache.lookup("a", type)).isEqualTo(CacheLookup.hit(Map.of("x", List.of(1, 2))));
  }

  @Test
  void manyKeysAreAnsweredInTheirOrder() {
    ValueCache cache = newCache(SETTINGS);
    store(cache, "a", "value");
    store(cache, "c", null);
    assertThat(cache.lookupAll(List.of("a", "b", "c"), STRING))
        .containsExactly(CacheLookup.hit("value"), CacheLookup.miss(), CacheLookup.nullHit());
    assertThat(cache.lookupAll(List.of(), STRING)).isEmpty();
  }

  @Test
  void keysAreApart() {
    ValueCache cache = newCache(SETTINGS);
    store(cache, "a", "value");
    assertThat(cache.lookup("b", STRING)).isInstanceOf(CacheLookup.Miss.class);
    assertThat(cache.tryLease("b")).isNotNull();
  }

  @Test
  void aLeaseIsHeldByOneAtATime() {
    ValueCache cache = newCache(SETTINGS);
    Lease held = lease(cache, "a");
    assertThat(cache.tryLease("a")).isNull();
    cache.release(held);
    assertThat(cache.tryLease("a")).isNotNull();
  }

  @Test
  void oneOfManyCallersGetsTheLease() throws Exception {
    ValueCache cache = newCache(SETTINGS);
    AtomicInteger leases = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Object>> callers = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        callers.add(() -> cache.tryLease("a") != null ? leases.incrementAndGet() : 0);
      }
      for (Future<Object> caller : threads.invokeAll(callers)) {
        caller.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(leases).hasValue(1);
  }

  @Test
  void aLeaseOfAnotherIsNotReleased() {
    ValueCache cache = newCache(SETTINGS);
    lease(cache, "a");
    cache.release(new Lease("a", "somebody else's token"));
    assertThat(cache.tryLease("a")).isNull();
  }

  @Test
  void aLeaseEndsByItself() throws Exception {
    ValueCache cache = newCache(withLease(Duration.ofMillis(200)));
    Lease late = lease(cache, "a");
    pass(cache, Duration.ofMillis(201));
    assertThat(cache.store(late, "value")).isEqualTo(StoreResult.REVOKED);
    assertThat(cache.lookup("a", STRING)).isInstanceOf(CacheLookup.Miss.class);
    assertThat(cache.tryLease("a")).isNotNull();
  }

  /** In real time: the lease ends by the clock of Redis, where that is the cache. */
  @Tag("waits")
  @Test
  void aLateHolderNeitherStoresNorEndsTheNextLease() throws Exception {
    ValueCache cache = newCache(withLease(Duration.ofSeconds(3)));
    Lease late = lease(cache, "a");
    pass(cache, Duration.ofMillis(3_100));
    Lease next = lease(cache, "a");
    cache.release(late);
    assertThat(cache.store(late, "late")).isEqualTo(StoreResult.REVOKED);
    assertThat(cache.store(next, "next")).isEqualTo(StoreResult.STORED);
    assertThat(cache.lookup("a", STRING)).isEqualTo(CacheLookup.hit("next"));
  }

  @Test
  void entriesEndByThemselves() throws Exception {
    ValueCache cache =
        newCache(
            TestSettings.cache(
                Duration.ofMillis(400),
                Duration.ofMillis(200),
                0,
                1_000,
                50,
                Duration.ofSeconds(30)));
    store(cache, "value", "value");
    store(cache, "null", null);
    pass(cache, Duration.ofMillis(201));
    assertThat(cache.lookup("null", STRING)).isInstanceOf(CacheLookup.Miss.class);
    pass(cache, Duration.ofMillis(200));
    assertThat(cache.lookup("value", STRING)).isInstanceOf(CacheLookup.Miss.class);
  }

  @Test
  void aWriteDropsValueAndNullEntryAtItsBeginAndAtItsEnd() {
    ValueCache cache = newCache(SETTINGS);
    store(cache, "a", "old");
    store(cache, "b", null);
    cache.beginWrite("a", "w1");
    cache.beginWrite("b", "w2");
    assertThat(cache.lookup("a", STRING)).isInstanceOf(CacheLookup.Miss.class);
    assertThat(cache.lookup("b", STRING)).isInstanceOf(CacheLookup.Miss.class);

    cache.endWrite("a", "w1");
    cache.endWrite("b", "w2");
    store(cache, "a", "old");
    store(cache, "b", null);
    cache.endWrite("a", "w1");
    cache.endWrite("b", "w2");
    assertThat(cache.lookup("a", STRING)).isInstanceOf(CacheLookup.Miss.class);
    assertThat(cache.lookup("b", STRING)).isInstanceOf(CacheLookup.Miss.class);
  }

  @Test
  void aWriteRevokesTheLeaseAtItsBeginAndAtItsEnd() {
    ValueCache cache = newCache(SETTINGS);
    Lease before = lease(cache, "a");
    cache.beginWrite("a", "w");
    assertThat(cache.store(before, null)).isEqualTo(StoreResult.REVOKED);
    Lease during = lease(cache, "a");
    cache.endWrite("a", "w");
    assertThat(cache.store(during, "old")).isEqualTo(StoreResult.REVOKED);
    assertThat(cache.lookup("a", STRING)).isInstanceOf(CacheLookup.Miss.class);
  }

  /** A write that is visible needs no barrier, and lifts none. */
  @Test
  void rowsThatAnotherProgramHasChangedLeaveNothingBehind() {
    ValueCache cache = newCache(SETTINGS);
    List<String> keys = IntStream.range(0, 1_200).mapToObj(i -> "key" + i).toList();
    store(cache, "key0", "old");
    store(cache, "key1199", null);
    Lease before = lease(cache, "key7");
    cache.beginWrite("key8", "w");
    cache.invalidate(keys);
    assertThat(cache.lookup("key0", STRING)).isInstanceOf(CacheLookup.Miss.class);
    assertThat(cache.lookup("key1199", STRING)).isInstanceOf(CacheLookup.Miss.class);
    assertThat(cache.store(before, "old")).isEqualTo(StoreResult.REVOKED);
    assertThat(cache.lastWrite("key1199")).isNotNull();
    assertThat(store(cache, "key0", null)).isEqualTo(StoreResult.STORED);
    assertThat(store(cache, "key8", "new")).isEqualTo(StoreResult.REFUSED);
  }

  @Test
  void manyKeysAreWrittenAsOneIs() {
    ValueCache cache = newCache(SETTINGS);
    List<String> keys = IntStream.range(0, 1_200).mapToObj(i -> "key" + i).toList();
    store(cache, "key1199", "old");
    cache.beginWrites(keys, "w");
    assertThat(cache.lookup("key1199", STRING)).isInstanceOf(CacheLookup.Miss.class);
    assertThat(store(cache, "key0", null)).isEqualTo(StoreResult.REFUSED);
    assertThat(store(cache, "key1199", null)).isEqualTo(StoreResult.REFUSED);
    cache.endWrites(keys, "w");
    assertThat(store(cache, "key0", null)).isEqualTo(StoreResult.STORED);
    assertThat(store(cache, "key1199", null)).isEqualTo(StoreResult.STORED);
  }

  @Test
  void whileABarrierStandsNothingIsStored() {
    ValueCache cache = newCache(SETTINGS);
    cache.beginWrite("a", "w");
    assertThat(store(cache, "a", null)).isEqualTo(StoreResult.REFUSED);
    assertThat(store(cache, "a", "read before the commit")).isEqualTo(StoreResult.REFUSED);
    assertThat(cache.lookup("a", STRING)).isInstanceOf(CacheLookup.Miss.class);
    assertThat(cache.tryLease("a")).as("the refused store ended its lease").isNotNull();
    cache.endWrite("a", "w");
    assertThat(store(cache, "a", null)).isEqualTo(StoreResult.STORED);
  }

  @Test
  void eachWriterHasABarrierOfItsOwn() {
    ValueCache cache = newCache(SETTINGS);
    cache.beginWrite("a", "w1");
    cache.beginWrite("a", "w2");
    cache.endWrite("a", "w1");
    assertThat(store(cache, "a", null)).isEqualTo(StoreResult.REFUSED);
    cache.endWrite("a", "w2");
    assertThat(store(cache, "a", null)).isEqualTo(StoreResult.STORED);
  }

  @Test
  void aBarrierIsNotLiftedByAWriterThatNeverRaisedOne() {
    ValueCache cache = newCache(SETTINGS);
    cache.beginWrite("a", "w1");
    cache.endWrite("a", "w2");
    assertThat(store(cache, "a", null)).isEqualTo(StoreResult.REFUSED);
  }

  @Test
  void aWriteIsRememberedAfterItsEnd() throws Exception {
    ValueCache cache = newCache(SETTINGS);
    assertThat(cache.lastWrite("a")).isNull();
    cache.beginWrite("a", "w1");
    cache.beginWrite("a", "w2");
    cache.endWrite("a", "w1");
    Long open = cache.lastWrite("a");
    cache.endWrite("a", "w2");
    pass(cache, Duration.ofMillis(300));
    Long ended = cache.lastWrite("a");
    assertThat(ended - open).as("w2 was open").isNotNegative();
    pass(cache, Duration.ofMillis(300));
    assertThat(cache.lastWrite("a") - ended).as("a moment that has passed").isLessThan(250_000_000);
    assertThat(cache.lastWrite("b")).isNull();

    cache.endWrites(List.of("a", "c"), "w3");
    assertThat(cache.lastWrite("c")).isNotNull();
  }

  @Test
  void aTransactionOlderThanAWriteOfItsKeyStoresNeitherNullNorValue() throws Exception {
    for (Loading loading : Loading.values()) {
      ValueCache cache = newCache(SETTINGS);
      BloomGuard<String> guard = guard(cache, Duration.ofHours(1));
      guard.put("a");
      assertThat(loading.load(guard, "a", null)).isNull();
      assertThat(cache.lookup("a", STRING)).as(loading + ", null").isEqualTo(CacheLookup.miss());
      assertThat(loading.load(guard, "a", "old")).isEqualTo("old");
      assertThat(cache.lookup("a", STRING)).as(loading + ", value").isEqualTo(CacheLookup.miss());
      assertThat(cache.tryLease("a")).as("the lease was given back").isNotNull();
    }
  }

  @Test
  void aTransactionStoresWhereNothingWasWrittenSinceItsBegin() throws Exception {
    for (Loading loading : Loading.values()) {
      ValueCache cache = newCache(SETTINGS);
      loading.load(guard(cache, Duration.ofMinutes(5)), "never written", "value");
      assertThat(cache.lookup("never written", STRING)).isEqualTo(CacheLookup.hit("value"));

      BloomGuard<String> guard = guard(cache, Duration.ZERO);
      guard.put("a");
      pass(cache, Duration.ofMillis(300));
      // Each try is a new transaction; one that took its time may count as older than the write.
      Awaitility.await(loading.name())
          .until(
              () -> loading.load(guard, "a", "new"),
              value -> cache.lookup("a", STRING).equals(CacheLookup.hit("new")));
    }
  }

  @Test
  void aCallerThatWaitedIsNotGivenWhatAnOlderTransactionSaw() throws Exception {
    ValueCache cache = newCache(SETTINGS);
    BloomGuard<String> old = guard(cache, Duration.ofHours(1));
    old.put("a");
    AtomicReference<Thread> follower = new AtomicReference<>();
    AtomicReference<Future<@Nullable String>> answer = new AtomicReference<>();
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      String seen =
          old.get(
              "a",
              () -> {
                answer.set(
                    threads.submit(
                        () -> {
                          follower.set(Thread.currentThread());
                          return old.get("a", () -> "new");
                        }));
                Awaitility.await()
                    .until(
                        () ->
                            follower.get() != null
                                && follower.get().getState() == Thread.State.TIMED_WAITING);
                return null;
              });
      assertThat(seen).isNull();
      assertThat(answer.get().get(60, TimeUnit.SECONDS)).isEqualTo("new");
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aLoadWithoutTransactionStoresRightAfterAWrite() throws Exception {
    for (Loading loading : Loading.values()) {
      ValueCache cache = newCache(SETTINGS);
      BloomGuard<String> guard = guard(cache, null);
      guard.put("a");
      loading.load(guard, "a", "new");
      assertThat(cache.lookup("a", STRING)).as("%s", loading).isEqualTo(CacheLookup.hit("new"));
    }
  }

  /** The ways of a guard to load a value. */
  private enum Loading {
    ONE,
    MANY,
    ASYNC;

    @Nullable String load(BloomGuard<String> guard, String key, @Nullable String value) {
      return switch (this) {
        case ONE -> guard.get(key, () -> value);
        case MANY ->
            guard
                .getAll(List.of(key), keys -> value == null ? Map.of() : Map.of(key, value))
                .get(key);
        case ASYNC ->
            guard
                .getAsync(key, () -> CompletableFuture.completedFuture(value))
                .toCompletableFuture()
                .join();
      };
    }
  }

  /** A guard whose callers are in a transaction of that age, or in none. */
  private static BloomGuard<String> guard(ValueCache cache, @Nullable Duration age) {
    Transactions transactions =
        new Transactions() {
          @Override
          public boolean register(Runnable beforeCommit, Completion afterCompletion) {
            return false;
          }

          @Override
          public @Nullable Long readsSince() {
            return age == null ? null : Long.valueOf(System.nanoTime() - age.toNanos());
          }
        };
    KnownKeys store = new KnownKeys();
    store.addAll(List.of("never written"));
    GuardedFilter filter =
        GuardedFilters.of(
            "products",
            store,
            UnknownPolicy.OPEN,
            new OutcomeCounters(),
            GuardListener.NONE,
            Duration.ofMinutes(10));
    return TestSettings.registry(
            List.of(filter), name -> cache, new KeyRules(256), Guards.loads(4), transactions)
        .guard("products", String.class);
  }

  @Test
  void allEntriesAreDroppedAndAllLoadsRevoked() {
    ValueCache cache = newCache(SETTINGS);
    ValueCache other = newCache(SETTINGS);
    List<String> keys = IntStream.range(0, 500).mapToObj(i -> "key" + i).toList();
    keys.forEach(key -> store(cache, key, "old"));
    store(cache, "null", null);
    Lease before = lease(cache, "under way");
    cache.beginWrite("written", "w");
    store(other, "a", "value");

    cache.dropAll();

    assertThat(cache.lookupAll(keys, STRING)).containsOnly(CacheLookup.miss());
    assertThat(cache.lookup("null", STRING)).isEqualTo(CacheLookup.miss());
    assertThat(cache.store(before, "old")).isEqualTo(StoreResult.REVOKED);
    assertThat(store(cache, "under way", "new")).isEqualTo(StoreResult.STORED);
    assertThat(store(cache, "written", "old")).as("under write").isEqualTo(StoreResult.REFUSED);
    assertThat(other.lookup("a", STRING)).isEqualTo(CacheLookup.hit("value"));
  }

  @Test
  void whatWasReadBeforeAllIsDroppedIsNotStoredAfterwards() throws Exception {
    ValueCache cache = newCache(SETTINGS);
    AtomicInteger row = new AtomicInteger();
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService loaders = Executors.newFixedThreadPool(4);
    try {
      for (int i = 0; i < 4; i++) {
        loaders.execute(
            () -> {
              while (!done.get()) {
                Lease lease = cache.tryLease("a");
                if (lease != null) {
                  cache.store(lease, String.valueOf(row.get()));
                }
              }
            });
      }
      for (int i = 1; i <= 300; i++) {
        row.set(i);
        cache.dropAll();
        assertThat(cache.lookup("a", STRING))
            .isIn(CacheLookup.miss(), CacheLookup.hit(String.valueOf(i)));
      }
    } finally {
      done.set(true);
      loaders.shutdown();
      assertThat(loaders.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  @Test
  void nullEntriesAreBoundedInNumber() {
    ValueCache cache = newCache(SETTINGS);
    for (int i = 0; i < 500; i++) {
      store(cache, "key" + i, null);
    }
    int alive = 0;
    for (int i = 0; i < 500; i++) {
      alive += cache.lookup("key" + i, STRING) instanceof CacheLookup.NullHit ? 1 : 0;
    }
    assertThat(alive).isBetween(1, (int) SETTINGS.maxNullEntries());
  }

  @Test
  void withNoRoomForNullEntriesNoneIsStored() {
    ValueCache cache =
        newCache(
            TestSettings.cache(SETTINGS.ttl(), SETTINGS.nullTtl(), 0, 1_000, 0, SETTINGS.lease()));
    assertThat(store(cache, "a", null)).isEqualTo(StoreResult.REFUSED);
    assertThat(cache.lookup("a", STRING)).isInstanceOf(CacheLookup.Miss.class);
  }

  protected static StoreResult store(ValueCache cache, String key, @Nullable Object value) {
    return cache.store(lease(cache, key), value);
  }

  protected static Lease lease(ValueCache cache, String key) {
    Lease lease = cache.tryLease(key);
    assertThat(lease).isNotNull();
    return lease;
  }

  private static CacheSettings withLease(Duration lease) {
    return TestSettings.cache(SETTINGS.ttl(), SETTINGS.nullTtl(), 0, 1_000, 50, lease);
  }

  /** Carries a generic type. */
  private static final class GenericField {
    @SuppressWarnings("UnusedVariable") // read by reflection
    Map<String, List<Integer>> field = Map.of();

    static java.lang.reflect.Type type() {
      try {
        return GenericField.class.getDeclaredField("field").getGenericType();
      } catch (NoSuchFieldException e) {
        throw new AssertionError(e);
      }
    }
  }
}
