package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardListener.LoadListener;
import io.bloomguard.guard.internal.GuardListener.LoadResult;
import io.bloomguard.guard.internal.GuardListener.MutexResult;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.load.LoadSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is heard of loads and of waits for them. */
class GuardListenerTest {

  private static final LoadSettings IMPATIENT =
      TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofMillis(30));

  private static final LoadSettings PATIENT =
      TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofMinutes(1));

  private final LocalValueCache cache = new LocalValueCache(Guards.CACHE, null);
  private final List<Object> heard = new CopyOnWriteArrayList<>();
  private final List<Long> times = new CopyOnWriteArrayList<>();
  private final long begin = System.nanoTime();
  private final Guards guards = Guards.heardBy(new Heard(), cache, PATIENT);

  @AfterEach
  void everyTimeIsOneThatPassed() {
    long most = System.nanoTime() - begin;
    assertThat(times).isNotEmpty().allSatisfy(time -> assertThat(time).isBetween(0L, most));
  }

  @Test
  void aLoadIsHeardOfFromItsBeginToItsEnd() {
    guards.guard.get("1", () -> "value");
    guards.guard.get("1", () -> "value");
    guards.guard.get("2", () -> null);
    assertThatThrownBy(
        () ->
            guards.guard.get(
                "3",
                () -> {
                  throw new IOException("broken");
                }));
    assertThat(heard)
        .containsExactly(
            MutexResult.ACQUIRED,
            "load",
            "return",
            LoadResult.FOUND,
            MutexResult.ACQUIRED,
            "load",
            "return",
            LoadResult.ABSENT,
            MutexResult.ACQUIRED,
            "load",
            "return",
            LoadResult.ERROR);
  }

  @Test
  void aBatchIsOneLoad() {
    guards.guard.getAll(List.of("1", "2"), keys -> Map.of("1", "value"));
    assertThat(heard)
        .containsExactly(
            MutexResult.ACQUIRED, MutexResult.ACQUIRED, "load", "return", LoadResult.FOUND);
  }

  @Test
  void anAsynchronousLoadReturnsBeforeItEnds() {
    CompletableFuture<String> source = new CompletableFuture<>();
    var first = guards.guard.getAsync("1", () -> source).toCompletableFuture();
    var second = guards.guard.getAsync("1", () -> source).toCompletableFuture();
    assertThat(heard).containsExactly(MutexResult.ACQUIRED, "load", "return");
    source.complete("value");
    assertThat(first.join()).isEqualTo("value");
    assertThat(second.join()).isEqualTo("value");
    assertThat(heard.subList(3, 5)).containsExactlyInAnyOrder(LoadResult.FOUND, MutexResult.SHARED);

    guards.guard.getAsync("2", () -> CompletableFuture.completedFuture(null));
    guards.guard.getAsync("3", () -> CompletableFuture.failedFuture(new IOException("broken")));
    assertThat(heard.subList(5, heard.size()))
        .containsExactly(
            MutexResult.ACQUIRED,
            "load",
            "return",
            LoadResult.ABSENT,
            MutexResult.ACQUIRED,
            "load",
            "return",
            LoadResult.ERROR);
  }

  @Test
  void whoWaitsInVainForALeaseIsHeardOf() {
    Guards impatient = Guards.heardBy(new Heard(), cache, IMPATIENT);
    ValueCacheContractTest.lease(cache, "1");
    assertThatThrownBy(() -> impatient.guard.get("1", () -> "value"))
        .isInstanceOfSatisfying(
            RequestShedException.class,
            shed -> assertThat(shed.retryAfter()).isEqualTo(Duration.ofSeconds(1)));
    assertThatThrownBy(
            () ->
                impatient
                    .guard
                    .getAsync("1", () -> CompletableFuture.completedFuture("value"))
                    .toCompletableFuture()
                    .join())
        .hasCauseInstanceOf(RequestShedException.class);
    assertThat(heard).containsExactly(MutexResult.TIMEOUT, MutexResult.TIMEOUT);
  }

  @Test
  void whoFindsWhatAnotherProcessLoadedSharesIt() {
    ValueCache late =
        new LocalCacheThat(cache) {
          @Override
          public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
            ValueCacheContractTest.store(cache, key, "stored meanwhile");
            return super.lookup(key, type);
          }

          @Override
          public Lease tryLease(String key) {
            return null;
          }
        };
    Guards shared = Guards.heardBy(new Heard(), late, IMPATIENT);
    assertThat(shared.guard.get("1", () -> "value")).isEqualTo("stored meanwhile");
    assertThat(heard).containsExactly(MutexResult.SHARED);
  }

  @Test
  @Timeout(60)
  void aCallWhoseListenerThrowsFailsAndHoldsNothing() {
    GuardListener broken =
        new GuardListener() {
          @Override
          public LoadListener onLoad() {
            return new LoadListener() {
              @Override
              public void onEnd(LoadResult result, long nanos) {
                times.add(nanos);
                throw new IllegalStateException("broken");
              }
            };
          }
        };
    Guards narrow =
        Guards.heardBy(
            broken, cache, TestSettings.loads(1, Duration.ofSeconds(5), Duration.ofMinutes(1)));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> narrow.guard.get("1", () -> "value")).hasMessage("broken");
      assertThatThrownBy(
              () ->
                  narrow
                      .guard
                      .getAsync("1", () -> CompletableFuture.completedFuture("value"))
                      .toCompletableFuture()
                      .join())
          .hasRootCauseMessage("broken");
      assertThatThrownBy(() -> narrow.guard.getAll(List.of("2", "3"), keys -> Map.of()))
          .hasMessage("broken");
    }
  }

  private final class Heard implements GuardListener {

    @Override
    public LoadListener onLoad() {
      heard.add("load");
      return new LoadListener() {
        @Override
        public void onReturn() {
          heard.add("return");
        }

        @Override
        public void onEnd(LoadResult result, long nanos) {
          heard.add(result);
          times.add(nanos);
        }
      };
    }

    @Override
    public void onMutexWait(MutexResult result, long nanos) {
      heard.add(result);
      times.add(nanos);
    }
  }
}
