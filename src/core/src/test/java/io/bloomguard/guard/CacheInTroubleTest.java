package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Loads whose value cache is slow, gone for a moment, or has its lease elsewhere. */
class CacheInTroubleTest {

  private final LocalValueCache cache = new LocalValueCache(Guards.CACHE, null);
  private final AtomicInteger troubles = new AtomicInteger();
  private final AtomicInteger loads = new AtomicInteger();

  @AfterEach
  void noInterruptIsLeft() {
    Thread.interrupted();
  }

  private String load() {
    return "value" + loads.incrementAndGet();
  }

  /** The first leases are answered too late. */
  private Guards slow(int times) {
    return guards(
        new LocalCacheThat(cache) {
          @Override
          public @Nullable Lease tryLease(String key) {
            trouble(times, true);
            return super.tryLease(key);
          }
        });
  }

  private void trouble(int times, boolean slow) {
    if (troubles.incrementAndGet() <= times) {
      throw new CacheUnavailableException("trouble", null, slow);
    }
  }

  private static Guards guards(ValueCache cache) {
    return Guards.with(new KnownKeys("1", "2", "3"), cache, Guards.loads(4));
  }

  @Test
  void aSlowCacheIsAskedAgainAndItsLeaseIsTaken() {
    Guards guards = slow(3);
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value1");
    assertThat(guards.guard.get("1", this::load)).as("kept").isEqualTo("value1");
    assertThat(troubles).hasValue(4);
  }

  @Test
  void anAsynchronousCallerAsksASlowCacheAgainToo() {
    Guards guards = slow(3);
    var answer = guards.guard.getAsync("1", () -> CompletableFuture.completedFuture(load()));
    assertThat(answer.toCompletableFuture().join()).isEqualTo("value1");
    assertThat(guards.guard.getAsync("1", () -> new CompletableFuture<>()).toCompletableFuture())
        .as("kept")
        .isCompletedWithValue("value1");
  }

  @Test
  void aBatchAsksASlowCacheAgainForEachKey() {
    Guards guards = slow(2);
    assertThat(guards.guard.getAll(List.of("1", "2"), keys -> Map.of("1", load(), "2", load())))
        .containsOnlyKeys("1", "2");
    assertThat(cache.lookup("1", ValueCacheContractTest.STRING))
        .isInstanceOf(CacheLookup.Hit.class);
    assertThat(cache.lookup("2", ValueCacheContractTest.STRING))
        .isInstanceOf(CacheLookup.Hit.class);
  }

  @Test
  void aLeaseWhoseHolderCannotLookAgainIsGivenBack() {
    Guards guards =
        guards(
            new LocalCacheThat(cache) {
              @Override
              public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
                trouble(1, true);
                return super.lookup(key, type);
              }
            });
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value1");
    assertThat(troubles).hasValue(2);
  }

  @Test
  void aCacheThatIsGoneIsPassedOver() {
    Guards guards =
        guards(
            new LocalCacheThat(cache) {
              @Override
              public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
                trouble(100, false);
                return super.lookup(key, type);
              }

              @Override
              public @Nullable Lease tryLease(String key) {
                trouble(100, false);
                return super.tryLease(key);
              }
            });
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value1");
    assertThat(guards.guard.getAll(List.of("1"), keys -> Map.of("1", load())))
        .containsEntry("1", "value2");
    assertThat(
            guards
                .guard
                .getAsync("1", () -> CompletableFuture.completedFuture(load()))
                .toCompletableFuture())
        .isCompletedWithValue("value3");
    assertThat(guards.count(Outcome.LOADED)).isEqualTo(3);
  }

  @Test
  void whatCannotBeStoredIsForItsCallerAlone() {
    // The second caller waits for the end of the first one's lease.
    Duration lease = Duration.ofMillis(500);
    CacheSettings settings =
        TestSettings.cache(Duration.ofMinutes(10), Duration.ofSeconds(30), 0.2, 10, 10, lease);
    Guards guards =
        guards(
            new LocalCacheThat(new LocalValueCache(settings, null)) {
              @Override
              public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
                throw new CacheUnavailableException("gone", null);
              }
            });
    CompletableFuture<String> source = new CompletableFuture<>();
    var first = guards.guard.getAsync("1", () -> source).toCompletableFuture();
    var second =
        guards
            .guard
            .getAsync("1", () -> CompletableFuture.completedFuture(load()))
            .toCompletableFuture();
    source.complete("value");
    assertThat(first.join()).isEqualTo("value");
    // A write may have ended its lease in between, of which a cache that is gone tells nothing.
    assertThat(second.join()).isEqualTo("value1");
  }

  /** Each lease takes longer than all may take that wait for one load. */
  @Test
  void aBatchWhoseLeasesTakeLongIsLoadedInRounds() {
    Duration queue = Duration.ofMillis(2);
    ValueCache far =
        new LocalCacheThat(cache) {
          @Override
          public @Nullable Lease tryLease(String key) {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < queue.toNanos()) {
              Thread.onSpinWait();
            }
            return super.tryLease(key);
          }
        };
    Guards guards =
        Guards.with(
            new KnownKeys("1", "2", "3"),
            far,
            TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofHours(1), queue));
    assertThat(
            guards.guard.getAll(
                List.of("1", "2", "3"),
                keys -> {
                  assertThat(keys).hasSize(1);
                  return Map.of(keys.iterator().next(), load());
                }))
        .containsOnly(Map.entry("1", "value1"), Map.entry("2", "value2"), Map.entry("3", "value3"));
  }

  @Test
  void whatIsLoadedWithoutALeaseIsNotLoadedBesideAnOverdueLoad() {
    CompletableFuture<String> slow = new CompletableFuture<>();
    Guards guards = withoutLeases(Duration.ofHours(1));
    var late = guards.guard.getAsync("1", () -> slow).toCompletableFuture();
    assertThatThrownBy(late::join).hasCauseInstanceOf(TimeoutException.class);
    var next =
        guards
            .guard
            .getAsync("1", () -> CompletableFuture.completedFuture(load()))
            .toCompletableFuture();
    assertThatThrownBy(next::join).hasCauseInstanceOf(TimeoutException.class);
    assertThat(loads).hasValue(0);
    slow.complete("too late");
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value1");
  }

  @Test
  void aLoadThatNeverEndsKeepsOthersAwayNoLongerThanALeaseWould() {
    Guards guards = withoutLeases(Duration.ofMillis(20));
    var late = guards.guard.getAsync("1", () -> new CompletableFuture<>()).toCompletableFuture();
    assertThatThrownBy(late::join).hasCauseInstanceOf(TimeoutException.class);
    Awaitility.await()
        .ignoreExceptionsInstanceOf(TimeoutException.class)
        .until(() -> "value1".equals(guards.guard.get("1", this::load)));
  }

  private Guards withoutLeases(Duration queue) {
    ValueCache gone =
        new LocalCacheThat(cache) {
          @Override
          public @Nullable Lease tryLease(String key) {
            throw new CacheUnavailableException("gone", null);
          }
        };
    return Guards.with(
        new KnownKeys("1"),
        gone,
        TestSettings.loads(4, Duration.ofMillis(20), Duration.ofHours(1), queue));
  }

  @Test
  void aLeaseThatCannotBeGivenBackDoesNotFailTheCaller() {
    Guards guards =
        guards(
            new LocalCacheThat(cache) {
              @Override
              public void release(Lease lease) {
                throw new CacheUnavailableException("gone", null);
              }
            });
    assertThatThrownBy(
            () ->
                guards.guard.get(
                    "1",
                    () -> {
                      throw new IOException("the load's own");
                    }))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aFailedLoadGivesItsLeaseBack() {
    Guards guards = guards(cache);
    assertThatThrownBy(
        () ->
            guards.guard.get(
                "1",
                () -> {
                  throw new IOException("broken");
                }));
    assertThatThrownBy(
        () ->
            guards.guard.getAll(
                List.of("2"),
                keys -> {
                  throw new IOException("broken");
                }));
    var failed =
        guards.guard.getAsync("3", () -> CompletableFuture.failedFuture(new IOException("broken")));
    assertThat(failed.toCompletableFuture()).isCompletedExceptionally();
    for (String key : List.of("1", "2", "3")) {
      assertThat(cache.tryLease(key)).isNotNull();
    }
  }

  @Test
  void aCallerHearsOfAFailureOnceWrappedAndNoMore() {
    Guards guards = guards(cache);
    CompletableFuture<String> source = new CompletableFuture<>();
    var first = guards.guard.getAsync("1", () -> source.thenApply(v -> v)).toCompletableFuture();
    var second = guards.guard.getAsync("1", () -> source).toCompletableFuture();
    source.completeExceptionally(new IOException("broken"));
    for (var each : List.of(first, second)) {
      assertThatThrownBy(each::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(IOException.class);
    }
    var thrown =
        guards.guard.getAsync(
            "1",
            () -> {
              throw new IllegalStateException("no stage");
            });
    assertThatThrownBy(() -> thrown.toCompletableFuture().join())
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(guards.count(Outcome.ERROR)).isEqualTo(3);
  }

  @Test
  void whoIsInterruptedWhileItWaitsIsShedAndStaysInterrupted() {
    Guards guards = guards(cache);
    ValueCacheContractTest.lease(cache, "1");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> guards.guard.get("1", this::load))
        .isInstanceOf(RequestShedException.class)
        .hasMessageContaining("is interrupted");
    assertThat(Thread.interrupted()).isTrue();

    var loading = guards.guard.getAsync("2", () -> new CompletableFuture<>());
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> guards.guard.get("2", this::load))
        .isInstanceOf(RequestShedException.class)
        .hasMessageContaining("is interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(loading.toCompletableFuture()).isNotDone();

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> guards.guard.get("3", this::load))
        .isInstanceOf(RequestShedException.class)
        .hasMessageContaining("is interrupted");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(loads).hasValue(0);
  }

  @Test
  void whoWaitsForALoadInVainIsShed() {
    Guards guards =
        Guards.with(
            new KnownKeys("1"),
            cache,
            TestSettings.loads(4, Duration.ofMinutes(1), Duration.ofMillis(20)));
    CompletableFuture<String> source = new CompletableFuture<>();
    guards.guard.getAsync("1", () -> source);
    assertThatThrownBy(() -> guards.guard.get("1", this::load))
        .isInstanceOf(RequestShedException.class)
        .hasMessageContaining("PT0.02S");
    var waiting = guards.guard.getAsync("1", () -> new CompletableFuture<>()).toCompletableFuture();
    assertThatThrownBy(waiting::join).hasCauseInstanceOf(RequestShedException.class);
    assertThatThrownBy(() -> guards.guard.getAll(List.of("1"), keys -> Map.of("1", load())))
        .isInstanceOf(RequestShedException.class);
    assertThat(guards.count(Outcome.SHED)).isEqualTo(3);
    source.complete("value");
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
    assertThat(loads).hasValue(0);
  }

  @Test
  void aBatchIsGivenWhatAnotherCallerLoads() {
    Guards guards = guards(cache);
    CompletableFuture<String> source = new CompletableFuture<>();
    guards.guard.getAsync("1", () -> source);
    Map<String, String> found =
        guards.guard.getAll(
            List.of("1", "2"),
            keys -> {
              assertThat(keys).containsExactly("2");
              source.complete("another's");
              return Map.of("2", load());
            });
    assertThat(found).containsOnly(Map.entry("1", "another's"), Map.entry("2", "value1"));
  }

  @Test
  void whatABatchLoadsIsGivenToWhoWaitsForIt() {
    Guards guards = guards(cache);
    CompletableFuture<?>[] waiting = new CompletableFuture<?>[1];
    guards.guard.getAll(
        List.of("1"),
        keys -> {
          waiting[0] = byAnother(guards, "1");
          return Map.of("1", load());
        });
    assertThat((Object) waiting[0].join()).isEqualTo("value1");

    assertThatThrownBy(
        () ->
            guards.guard.getAll(
                List.of("2"),
                keys -> {
                  waiting[0] = byAnother(guards, "2");
                  throw new IOException("broken");
                }));
    assertThatThrownBy(waiting[0]::join).hasCauseInstanceOf(IOException.class);
  }

  /** Asks for a key on a thread of its own, whose loader never ends. */
  private static CompletableFuture<?> byAnother(Guards guards, String key) {
    return CompletableFuture.supplyAsync(
            () -> guards.guard.getAsync(key, () -> new CompletableFuture<>()))
        .join()
        .toCompletableFuture();
  }

  @Test
  void aBatchOfNothingAsksForNothing() {
    Guards guards = guards(cache);
    assertThat(guards.guard.getAll(List.of(), keys -> Map.of("1", load()))).isEmpty();
    assertThat(guards.guard.getAll(List.of("nobody"), keys -> Map.of("1", load()))).isEmpty();
    assertThat(loads).hasValue(0);
  }
}
