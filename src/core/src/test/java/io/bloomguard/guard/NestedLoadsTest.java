package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.load.LoadSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Loads within loads, as many at once as there are places. */
class NestedLoadsTest {

  private static final int PLACES = 4;
  private static final LoadSettings PATIENT =
      TestSettings.loads(PLACES, Duration.ofMinutes(5), Duration.ofMinutes(5));

  private final KnownKeys store = new KnownKeys();
  private final Guards guards =
      Guards.with(store, new LocalValueCache(Guards.CACHE, null), PATIENT);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
    guards.registry.close();
  }

  /** The ways to load a value, each within a place. */
  enum Way {
    GET,
    CALL,
    ALL,
    ENTER,
    ASYNC,
    ALL_ASYNC;

    @Nullable String load(EntryGuard<String> guard, String key, ValueLoader<String, Exception> row)
        throws Exception {
      return switch (this) {
        case GET -> guard.get(key, row);
        case CALL -> guard.call(key, row);
        case ALL ->
            guard.getAll(List.of(key), keys -> Map.of(key, String.valueOf(row.load()))).get(key);
        case ENTER -> {
          try (Pass<String> admission = guard.ask(Ask.toLoadAll(List.of(key)));
              Scope scope = admission.enter()) {
            yield row.load();
          }
        }
        case ASYNC ->
            guard
                .getAsync(
                    key,
                    () -> {
                      try {
                        return CompletableFuture.completedFuture(row.load());
                      } catch (Exception e) {
                        return CompletableFuture.failedFuture(e);
                      }
                    })
                .toCompletableFuture()
                .get();
        case ALL_ASYNC ->
            guard
                .getAllAsync(
                    List.of(key),
                    keys -> {
                      try {
                        return CompletableFuture.completedFuture(
                            Map.of(key, String.valueOf(row.load())));
                      } catch (Exception e) {
                        return CompletableFuture.failedFuture(e);
                      }
                    })
                .toCompletableFuture()
                .get()
                .get(key);
      };
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void takeNoSecondPlace(Way outer) throws Exception {
    store.doubtful = true;
    CyclicBarrier allWithin = new CyclicBarrier(PLACES);
    List<Future<@Nullable String>> callers = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      String key = "key" + i;
      callers.add(
          threads.submit(
              () ->
                  outer.load(
                      guards.guard,
                      key,
                      () -> {
                        allWithin.await(1, TimeUnit.MINUTES);
                        String answer = "";
                        for (Way inner : Way.values()) {
                          String nested = key + inner;
                          answer += inner.load(guards.guard, nested, () -> "1");
                        }
                        allWithin.await(1, TimeUnit.MINUTES);
                        return answer;
                      })));
    }
    for (Future<@Nullable String> caller : callers) {
      assertThat(caller.get(2, TimeUnit.MINUTES)).isEqualTo("1".repeat(Way.values().length));
    }
    assertThat(guards.count(Outcome.SHED)).isZero();
    assertAllFree();
  }

  /** A guarded service around a guarded repository: the inner call would wait for the outer one. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void ofTheSameKeyDoNotWaitForThemselves(Way outer) throws Exception {
    List<CompletableFuture<@Nullable String>> callers = new ArrayList<>();
    for (Way inner : Way.values()) {
      String key = outer + "around" + inner;
      store.addAll(List.of(key, key + "between"));
      ValueLoader<String, Exception> row =
          () ->
              outer.load(
                  guards.guard, key + "between", () -> inner.load(guards.guard, key, () -> "1"));
      callers.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return outer.load(guards.guard, key, row);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              },
              threads));
    }
    for (CompletableFuture<@Nullable String> caller : callers) {
      assertThat(caller.get(30, TimeUnit.SECONDS)).isEqualTo("1");
    }
    assertAllFree();
  }

  /** The caller that would close a circle of loads loads by itself, and that answer is not kept. */
  @ParameterizedTest
  @CsvSource({
    "2, GET, GET",
    "2, GET, ASYNC",
    "2, ASYNC, GET",
    "2, ALL, GET",
    "2, GET, ALL",
    "2, ASYNC, ASYNC",
    "2, ALL_ASYNC, ALL_ASYNC",
    "3, GET, GET",
    "4, ASYNC, ALL"
  })
  void thatNeedEachOtherDoNotWaitForEachOther(int size, Way outer, Way inner) throws Exception {
    CyclicBarrier allWithin = new CyclicBarrier(size);
    List<Future<@Nullable String>> callers = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      String mine = outer + "" + inner + i;
      String next = outer + "" + inner + (i + 1) % size;
      store.addAll(List.of(mine, mine + "between"));
      ValueLoader<String, Exception> between =
          () -> "of " + inner.load(guards.guard, next, () -> "alone");
      callers.add(
          threads.submit(
              () ->
                  outer.load(
                      guards.guard,
                      mine,
                      () -> {
                        allWithin.await(1, TimeUnit.MINUTES);
                        return mine + inner.load(guards.guard, mine + "between", between);
                      })));
    }
    int alone = 0;
    for (int i = 0; i < size; i++) {
      String answer = callers.get(i).get(20, TimeUnit.SECONDS);
      assertThat(answer).startsWith(outer + "" + inner + i);
      String kept = guards.guard.get(outer + "" + inner + i, () -> "not kept");
      assertThat(kept).isEqualTo(answer);
      alone += String.valueOf(answer).endsWith(i + "of alone") ? 1 : 0;
    }
    assertThat(alone).as("loads that closed the circle").isOne();
    assertThat(guards.count(Outcome.SHED)).isZero();
    assertAllFree();
  }

  /** What a load hands to other threads within it shares its place, one at a time. */
  @Test
  void thatRunAtOnceShareThePlaceOfTheLoadAround() throws Exception {
    store.addAll(List.of("outer", "a", "b", "c"));
    List<Pass<String>> others = new ArrayList<>();
    store.doubtful = true;
    for (int i = 1; i < PLACES; i++) {
      others.add(guards.guard.ask(Ask.toLoadAll(List.of("other" + i))));
    }
    store.doubtful = false;
    CompletableFuture<String> row = new CompletableFuture<>();
    CompletableFuture<@Nullable String> outer =
        guards
            .guard
            .getAsync(
                "outer",
                () -> {
                  var a = guards.guard.getAsync("a", () -> row);
                  var b = guards.guard.getAsync("b", () -> row);
                  var c = guards.guard.getAsync("c", () -> row);
                  return a.thenCombine(b, (x, y) -> x + y).thenCombine(c, (x, y) -> x + y);
                })
            .toCompletableFuture();
    row.complete("1");
    assertThat(outer.get(1, TimeUnit.MINUTES)).isEqualTo("111");
    others.forEach(Pass::close);
    assertAllFree();
  }

  private void assertAllFree() {
    store.doubtful = true;
    List<Pass<String>> taken = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      taken.add(guards.guard.ask(Ask.toLoadAll(List.of("any"))));
    }
    assertThatThrownBy(() -> guards.guard.ask(Ask.toLoadAll(List.of("any"))))
        .isInstanceOf(RequestShedException.class);
    taken.forEach(Pass::close);
  }
}
