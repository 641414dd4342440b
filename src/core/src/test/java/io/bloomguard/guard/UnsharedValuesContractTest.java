package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that belong to their caller, over every value cache. Each backend's test extends it. */
public abstract class UnsharedValuesContractTest {

  /** Stands for an entity. */
  public static class Row {
    public String city = "Ghent";
  }

  /** A record with one. */
  public record Page(Object row, int number) {}

  private static final int PLACES = 32;
  private static final ValueType<Row> ROW = ValueType.of(Row.class);
  private static final ValueType<Object> ANY = ValueType.of(Object.class);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final OutcomeCounters counters = new OutcomeCounters();
  private final KnownKeys store = new KnownKeys("1", "2", "3");
  private ValueCache cache;
  private GuardRegistry registry;

  /** A new and empty cache. */
  protected abstract ValueCache newCache(CacheSettings settings);

  @BeforeEach
  void guards() {
    cache = newCache(ValueCacheContractTest.SETTINGS);
    registry =
        TestSettings.registry(
            List.of(
                GuardedFilters.of(
                    "products",
                    store,
                    UnknownPolicy.OPEN,
                    counters,
                    GuardListener.NONE,
                    Duration.ofMinutes(10))),
            ValueCaches.alike(ValueCacheContractTest.SETTINGS, name -> cache),
            new KeyRules(256),
            Guards.loads(PLACES),
            Transactions.NONE,
            new OwnedValues(() -> type -> type == Row.class ? "is a JPA entity" : null),
            new KeyTypes());
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private <V> BloomGuard<V> guard(ValueType<V> type) {
    return registry.guard("products", "products", type, EntryPoint.METHOD);
  }

  /** The ways of a guard to load a value. */
  enum Loading {
    ONE,
    MANY,
    ASYNC;

    <V> @Nullable V load(BloomGuard<V> guard, String key, ValueLoader<V, RuntimeException> load) {
      return switch (this) {
        case ONE -> guard.get(key, load);
        case MANY ->
            guard
                .getAll(
                    List.of(key),
                    keys -> {
                      V value = load.load();
                      return value == null ? Map.of() : Map.of(key, value);
                    })
                .get(key);
        case ASYNC ->
            guard
                .getAsync(key, () -> CompletableFuture.completedFuture(load.load()))
                .toCompletableFuture()
                .join();
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void twoHundredCallersOfOneHotEntityGetEachTheirOwn(Loading loading) throws Exception {
    BloomGuard<Row> guard = guard(ROW);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch together = new CountDownLatch(loading == Loading.ASYNC ? 1 : PLACES);
    List<Future<@Nullable Row>> callers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      callers.add(
          threads.submit(
              () ->
                  loading.load(
                      guard,
                      "1",
                      () -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        together.countDown();
                        // The first loads end only once all places are taken by others.
                        await(together);
                        running.decrementAndGet();
                        return new Row();
                      })));
    }
    Set<Row> rows = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Future<@Nullable Row> caller : callers) {
      rows.add(caller.get(60, TimeUnit.SECONDS));
    }
    assertThat(rows).hasSize(200).doesNotContainNull();
    assertThat(most.get()).isLessThanOrEqualTo(PLACES);
    assertThat(counters.count(EntryPoint.METHOD, Outcome.LOADED)).isEqualTo(200);
    assertThat(cache.lookup("1", ANY)).isEqualTo(CacheLookup.miss());
    assertThat(cache.tryLease("1")).as("no lease is left behind").isNotNull();
  }

  @ParameterizedTest
  @EnumSource
  void keptIsTheNullAlone(Loading loading) {
    BloomGuard<Row> guard = guard(ROW);
    assertThat(loading.load(guard, "1", () -> null)).isNull();
    assertThat(
            loading.load(
                guard,
                "1",
                () -> {
                  throw new AssertionError("a null entry needs no load");
                }))
        .isNull();
    assertThat(counters.count(EntryPoint.METHOD, Outcome.FALSE_POSITIVE)).isOne();
    assertThat(counters.count(EntryPoint.METHOD, Outcome.NULL_HIT)).isOne();
  }

  @ParameterizedTest
  @EnumSource
  void aNullFromBeforeAPutIsNotKept(Loading loading) {
    BloomGuard<Row> guard = guard(ROW);
    loading.load(
        guard,
        "1",
        () -> {
          guard.put("1");
          return null;
        });
    assertThat(loading.load(guard, "1", Row::new)).isNotNull();
  }

  @ParameterizedTest
  @EnumSource
  void aCallerWithoutTheLeaseLoadsAtOnceAndKeepsNoNull(Loading loading) {
    BloomGuard<Row> guard = guard(ROW);
    Lease others = ValueCacheContractTest.lease(cache, "1");
    assertThat(loading.load(guard, "1", Row::new)).isNotNull();
    assertThat(loading.load(guard, "1", () -> null)).isNull();
    assertThat(cache.lookup("1", ANY)).isEqualTo(CacheLookup.miss());
    cache.release(others);
  }

  @Test
  void aValueThatAnotherGuardOfTheCacheKeepsIsNotTaken() {
    BloomGuard<String> shared = guard(ValueType.of(String.class));
    BloomGuard<String> unshared = guard(ValueType.of(String.class).unshared());
    shared.get("1", () -> "kept");
    assertThat(shared.get("1", () -> "loaded")).isEqualTo("kept");
    assertThat(unshared.get("1", () -> "loaded")).isEqualTo("loaded");
    assertThat(shared.get("1", () -> "loaded")).isEqualTo("kept");
  }

  @Test
  void whatOnlyTheValueShowsIsNotShared() {
    List<Object> values =
        List.of(
            new Row(),
            List.of(new Row()),
            Map.of("a", new Row()),
            Map.of(new Row(), "a"),
            new Object[] {new Row()},
            Optional.of(new Row()),
            new Page(new Row(), 1),
            new HashMap<>(Map.of(1, new Row())));
    for (Loading loading : Loading.values()) {
      for (Object value : values) {
        guards();
        BloomGuard<Object> guard = guard(ANY);
        AtomicInteger loads = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
          loading.load(
              guard,
              "2",
              () -> {
                loads.incrementAndGet();
                return value;
              });
        }
        assertThat(loads).as(loading + " of " + value).hasValue(3);
        assertThat(cache.lookup("2", ANY)).as(value.toString()).isEqualTo(CacheLookup.miss());
      }
    }
  }

  @Test
  void callersThatWaitedForAValueThatCannotBeSharedLoadTheirOwn() throws Exception {
    BloomGuard<Object> guard = guard(ANY);
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    Future<@Nullable Object> first =
        threads.submit(
            () ->
                guard.get(
                    "1",
                    () -> {
                      loading.countDown();
                      await(resume);
                      return new Row();
                    }));
    await(loading);
    Future<@Nullable Object> second = threads.submit(() -> guard.get("1", Row::new));
    resume.countDown();
    assertThat(first.get()).isNotNull().isNotSameAs(second.get());
    assertThat(second.get()).isNotNull();
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(60, TimeUnit.SECONDS)) {
        throw new AssertionError("the others did not come");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
