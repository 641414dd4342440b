package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.UnclearAnswer;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.load.RefreshPauses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that are loaded again before they end. Each backend's test extends it. */
public abstract class RefreshContractTest {

  protected static final ValueType<String> STRING = ValueType.of(String.class);

  private static final Duration SOFT = Duration.ofMillis(1);
  private static final Duration HARD = Duration.ofMinutes(10);
  private static final Duration BRIEF = Duration.ofMillis(1_500);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger loads = new AtomicInteger();

  /** A new and empty cache. */
  protected abstract ValueCache newCache(CacheSettings settings);

  /** Lets {@code time} pass for the cache's entries. */
  protected abstract void pass(Duration time) throws Exception;

  protected static CacheSettings settings(Duration ttl, Duration softTtl) {
    return new CacheSettings(ttl, HARD, 0, 1_000, 1_000, Duration.ofSeconds(30), softTtl);
  }

  private static CacheSettings soft(Duration ttl) {
    return settings(ttl, SOFT);
  }

  /** The ways of a guard to load a value. */
  protected enum Loading {
    ONE,
    ASYNC;

    @Nullable String get(BloomGuard<String> guard, Callable<@Nullable String> loader)
        throws Exception {
      return switch (this) {
        case ONE -> guard.get("1", loader::call);
        case ASYNC -> {
          try {
            yield guard
                .getAsync("1", () -> CompletableFuture.completedFuture(called(loader)))
                .toCompletableFuture()
                .join();
          } catch (CompletionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
          }
        }
      };
    }

    private static @Nullable String called(Callable<@Nullable String> loader) {
      try {
        return loader.call();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void aValueIsDuePastItsSoftLimitAndNotBefore() throws Exception {
    ValueCache cache = newCache(settings(HARD, Duration.ofMillis(1_200)));
    ValueCacheContractTest.store(cache, "1", "value");
    assertThat(cache.lookup("1", STRING)).isEqualTo(CacheLookup.hit("value"));
    assertThat(cache.lookupAll(List.of("1", "2"), STRING))
        .containsExactly(CacheLookup.hit("value"), CacheLookup.miss());
    pass(Duration.ofMillis(1_201));
    assertThat(cache.lookup("1", STRING)).isInstanceOf(CacheLookup.Due.class);
    assertThat(cache.lookupAll(List.of("2", "1"), STRING).get(1))
        .isInstanceOf(CacheLookup.Due.class);
  }

  @Test
  void aValueKeepsItsVersionUntilItIsReplaced() {
    ValueCache cache = newCache(settings(HARD, HARD.dividedBy(2)));
    ValueCacheContractTest.store(cache, "1", "value");
    CacheLookup<String> first = cache.lookAgain("1", STRING);
    assertThat(first).isInstanceOf(CacheLookup.Due.class).isEqualTo(cache.lookAgain("1", STRING));
    ValueCacheContractTest.store(cache, "1", "value");
    assertThat(cache.lookAgain("1", STRING))
        .isInstanceOf(CacheLookup.Due.class)
        .isNotEqualTo(first);
  }

  @Test
  void aNullEntryIsNeverDue() throws Exception {
    ValueCache cache = newCache(soft(HARD));
    ValueCacheContractTest.store(cache, "1", null);
    pass(Duration.ofMillis(3));
    assertThat(cache.lookup("1", STRING)).isEqualTo(CacheLookup.nullHit());
    assertThat(cache.lookAgain("1", STRING)).isEqualTo(CacheLookup.nullHit());
    assertThat(guard(cache).get("1", () -> "value")).isNull();
  }

  @Test
  void nothingIsDueWhereNothingIsSet() throws Exception {
    ValueCache cache = newCache(settings(HARD, Duration.ZERO));
    ValueCacheContractTest.store(cache, "1", "value");
    pass(Duration.ofMillis(3));
    assertThat(cache.lookup("1", STRING)).isEqualTo(CacheLookup.hit("value"));
    assertThat(cache.lookAgain("1", STRING)).isEqualTo(CacheLookup.hit("value"));
  }

  @Test
  void whatIsRefusedDropsTheOlderValue() throws Exception {
    CacheSettings noNulls = new CacheSettings(HARD, HARD, 0, 10, 0, Duration.ofSeconds(30), SOFT);
    ValueCache cache = newCache(noNulls);
    ValueCacheContractTest.store(cache, "1", "gone");
    assertThat(ValueCacheContractTest.store(cache, "1", null)).isEqualTo(StoreResult.REFUSED);
    assertThat(cache.lookup("1", STRING)).isEqualTo(CacheLookup.miss());
  }

  @ParameterizedTest
  @EnumSource
  void oneCallerLoadsAndAllOthersAreServedAtOnce(Loading loading) throws Exception {
    BloomGuard<String> guard = guard(due("old", soft(HARD)));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Future<@Nullable String> leader =
        threads.submit(
            () ->
                loading.get(
                    guard,
                    () -> {
                      loads.incrementAndGet();
                      begun.countDown();
                      await(end);
                      return "new";
                    }));
    await(begun);
    // On this one thread: each is answered while the load runs.
    for (int i = 0; i < 200; i++) {
      assertThat(loading.get(guard, this::load)).isEqualTo("old");
    }
    assertThat(loads).hasValue(1);
    end.countDown();
    assertThat(leader.get(60, TimeUnit.SECONDS)).isEqualTo("new");
  }

  @ParameterizedTest
  @EnumSource
  void manyCallersAtOnceLoadOnce(Loading loading) throws Exception {
    // Once it was loaded again, it is not due until long after the last call.
    ValueCache cache = newCache(settings(HARD, Duration.ofSeconds(2)));
    ValueCacheContractTest.store(cache, "1", "old");
    pass(Duration.ofMillis(2_001));
    BloomGuard<String> guard = guard(cache);
    List<Callable<@Nullable String>> callers = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      callers.add(() -> loading.get(guard, this::load));
    }
    for (Future<@Nullable String> caller : threads.invokeAll(callers)) {
      assertThat(caller.get(60, TimeUnit.SECONDS)).isIn("old", "new");
    }
    assertThat(loads).hasValue(1);
    assertThat(cache.lookup("1", STRING)).isEqualTo(CacheLookup.hit("new"));
  }

  @Test
  void whileAnotherProcessLoadsTheValueIsServed() throws Exception {
    ValueCache cache = due("old", soft(HARD));
    ValueCacheContractTest.lease(cache, "1");
    BloomGuard<String> guard = guard(cache);
    for (int i = 0; i < 50; i++) {
      assertThat(guard.get("1", this::load)).isEqualTo("old");
    }
    assertThat(loads).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void aRefreshStoresNothingOverALaterWrite(Loading loading) throws Exception {
    ValueCache cache = due("old", soft(HARD));
    BloomGuard<String> guard = guard(cache);
    String leader =
        loading.get(
            guard,
            () -> {
              write(guard);
              // Who comes after the write is neither served with the value before it, nor waits.
              assertThat(after(guard, "newest")).isEqualTo("newest");
              return "read before the write";
            });
    assertThat(leader).isEqualTo("read before the write");
    assertThat(cache.lookAgain("1", STRING))
        .isInstanceOfSatisfying(
            CacheLookup.Due.class, due -> assertThat(due.value()).isEqualTo("newest"));
  }

  @ParameterizedTest
  @EnumSource
  void aRefreshStoresNothingWhileAWriteIsOpen(Loading loading) throws Exception {
    ValueCache cache = due("old", soft(HARD));
    BloomGuard<String> guard = guard(cache);
    loading.get(
        guard,
        () -> {
          threads.submit(() -> cache.beginWrite("1", "w")).get();
          return "read before the commit";
        });
    assertThat(cache.lookup("1", STRING)).isEqualTo(CacheLookup.miss());
    cache.endWrite("1", "w");
    assertThat(cache.lookup("1", STRING)).isEqualTo(CacheLookup.miss());
  }

  @ParameterizedTest
  @EnumSource
  void aFailedRefreshServesTheValueUntilItsEnd(Loading loading) throws Exception {
    List<String> heard = new CopyOnWriteArrayList<>();
    BloomGuard<String> guard =
        guard(due("old", soft(BRIEF)), 4, Transactions.NONE, new Heard("miss", heard));
    long begin = System.nanoTime();
    int served = 0;
    for (; served < 100; served++) {
      assertThat(loading.get(guard, this::fail)).isEqualTo("old");
    }
    assertThat(heard).containsOnly("refresh ERROR").hasSize(loads.get());
    long pauses = (System.nanoTime() - begin) / RefreshPauses.PAUSE.toNanos();
    assertThat((long) loads.get()).as("tries, of %d callers", served).isBetween(1L, 1 + pauses);

    pass(BRIEF.plusMillis(1));
    assertThatThrownBy(() -> loading.get(guard, this::fail)).hasMessage("database down");
  }

  @ParameterizedTest
  @EnumSource
  @SuppressWarnings({"unchecked", "rawtypes"}) // an unclear answer takes the place of a value
  void aRefreshThatShowsNothingServesTheValueAndStoresNothing(Loading loading) throws Exception {
    ValueCache cache = due("old", soft(HARD));
    BloomGuard<String> guard = guard(cache);
    Callable<@Nullable String> fallback = (Callable) () -> new UnclearAnswer<>(null);
    for (int i = 0; i < 3; i++) {
      assertThat(loading.get(guard, fallback)).isEqualTo("old");
    }
    assertThat(cache.lookup("1", STRING)).isInstanceOf(CacheLookup.Due.class);
  }

  @ParameterizedTest
  @EnumSource
  void aFailedRefreshServesNothingThatAWriteHasDropped(Loading loading) throws Exception {
    BloomGuard<String> guard = guard(due("old", soft(HARD)));
    assertThatThrownBy(
            () ->
                loading.get(
                    guard,
                    () -> {
                      write(guard);
                      return fail();
                    }))
        .hasMessage("database down");
  }

  @ParameterizedTest
  @EnumSource
  void withoutAPlaceForItsLoadTheValueIsServed(Loading loading) throws Exception {
    ValueCache cache = due("old", soft(HARD));
    List<String> heard = new CopyOnWriteArrayList<>();
    BloomGuard<String> guard = guard(cache, 1, Transactions.NONE, new Heard("miss", heard));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Future<@Nullable String> other =
        threads.submit(
            () ->
                guard.get(
                    "2",
                    () -> {
                      begun.countDown();
                      await(end);
                      return "other";
                    }));
    await(begun);
    assertThat(loading.get(guard, this::load)).isEqualTo("old");
    assertThat(loads).hasValue(0);
    assertThat(heard).as("counted as a refresh that failed").containsExactly("refresh ERROR");
    assertThat(cache.tryLease("1")).as("its lease is given back").isNotNull();
    end.countDown();
    assertThat(other.get(60, TimeUnit.SECONDS)).isEqualTo("other");
  }

  @ParameterizedTest
  @EnumSource
  void aRefreshThatFindsNothingLeavesANullEntry(Loading loading) throws Exception {
    ValueCache cache = due("old", soft(HARD));
    BloomGuard<String> guard = guard(cache);
    assertThat(loading.get(guard, () -> null)).isNull();
    assertThat(cache.lookup("1", STRING)).isEqualTo(CacheLookup.nullHit());
  }

  @Test
  void aFailureWithinATransactionIsItsCallers() throws Exception {
    Transactions young =
        new Transactions() {
          @Override
          public boolean register(Runnable beforeCommit, Completion afterCompletion) {
            return false;
          }

          @Override
          public @Nullable Long readsSince() {
            return System.nanoTime();
          }
        };
    BloomGuard<String> guard = guard(due("old", soft(HARD)), 4, young);
    assertThatThrownBy(() -> guard.get("1", this::fail)).hasMessage("database down");
    assertThat(guard.get("1", this::fail)).as("no further try").isEqualTo("old");
  }

  @Test
  void aLoaderThatAsksForItsOwnKeyIsServed() throws Exception {
    BloomGuard<String> guard = guard(due("old", soft(HARD)));
    assertThat(guard.get("1", () -> guard.get("1", this::fail) + " and new"))
        .isEqualTo("old and new");
  }

  private ValueCache due(String value, CacheSettings settings) throws Exception {
    ValueCache cache = newCache(settings);
    ValueCacheContractTest.store(cache, "1", value);
    pass(Duration.ofMillis(3));
    assertThat(cache.lookup("1", STRING)).isInstanceOf(CacheLookup.Due.class);
    return cache;
  }

  private void write(BloomGuard<String> guard) throws Exception {
    threads.submit(() -> guard.put("1")).get(60, TimeUnit.SECONDS);
  }

  private @Nullable String after(BloomGuard<String> guard, String value) throws Exception {
    return threads.submit(() -> guard.get("1", () -> value)).get(60, TimeUnit.SECONDS);
  }

  private String load() {
    loads.incrementAndGet();
    return "new";
  }

  private String fail() {
    loads.incrementAndGet();
    throw new IllegalStateException("database down");
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
  }

  protected static BloomGuard<String> guard(ValueCache cache) {
    return guard(cache, 4, Transactions.NONE);
  }

  /** Hears how loads end. */
  private record Heard(String trigger, List<String> heard) implements GuardListener {

    @Override
    public LoadListener onLoad() {
      return new LoadListener() {
        @Override
        public void onEnd(LoadResult result, long nanos) {
          heard.add(trigger + " " + result);
        }
      };
    }

    @Override
    public GuardListener ofRefreshes() {
      return new Heard("refresh", heard);
    }
  }

  private static BloomGuard<String> guard(ValueCache cache, int places, Transactions transactions) {
    return guard(cache, places, transactions, GuardListener.NONE);
  }

  private static BloomGuard<String> guard(
      ValueCache cache, int places, Transactions transactions, GuardListener listener) {
    GuardedFilter filter =
        GuardedFilters.of(
            "products",
            new KnownKeys("1", "2", "3"),
            UnknownPolicy.OPEN,
            new OutcomeCounters(),
            listener,
            Duration.ofMinutes(10));
    return TestSettings.registry(
            List.of(filter), name -> cache, new KeyRules(256), Guards.loads(places), transactions)
        .guard("products", String.class);
  }
}
