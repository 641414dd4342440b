package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.verify.VerifySettings;
import io.bloomguard.guard.internal.verify.WrongRejectionPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each key that is asked about has one outcome, and gives back what its load held: at random over
 * all ways to ask, with loads that fail, callers that cancel, full bulkheads, trials, and a filter
 * that is doubtful, disarmed and armed meanwhile.
 */
class OutcomeSumTest {

  private static final int THREADS = 4;
  private static final int CALLS = 200;

  private final AtomicLong asked = new AtomicLong();
  private final Set<CompletableFuture<?>> loads = ConcurrentHashMap.newKeySet();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void isTheNumberOfKeys(int seed) throws Exception {
    Random random = new Random(seed);
    WrongRejectionPolicy policy =
        random.nextBoolean() ? WrongRejectionPolicy.DISARM : WrongRejectionPolicy.COUNT;
    int places = 1 + random.nextInt(3);
    KnownKeys store = new KnownKeys();
    VerifiedGuards guards =
        new VerifiedGuards(
            store,
            new VerifySettings(
                random.nextInt(2) * 30, random.nextInt(2) * 0.3, 1000, policy, policy),
            random.nextInt(4) == 0 ? UnknownPolicy.CLOSED : UnknownPolicy.OPEN,
            Transactions.NONE,
            places);
    for (int i = 0; i < 15; i++) {
      store.addAll(List.of("k" + i));
    }
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    ExecutorService later = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> callers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Random own = new Random(31L * seed + i);
        callers.add(pool.submit(() -> call(guards, store, own, later)));
      }
      for (Future<?> caller : callers) {
        caller.get(60, TimeUnit.SECONDS);
      }
      await().untilAsserted(() -> assertThat(guards.total()).isEqualTo(asked.get()));
      await().until(() -> loads.stream().allMatch(CompletableFuture::isDone));
    } finally {
      pool.shutdown();
      later.shutdown();
    }
    store.doubtful = false;
    store.addAll(List.of("fresh-0", "fresh-1", "fresh-2"));
    await().until(() -> ((LocalValueCache) guards.cache).controls() == 0);
    takeAtOnce(guards.guard, places);
  }

  /** Takes all places at once, each by a load of its own. */
  private static void takeAtOnce(EntryGuard<String> guard, int places) {
    CompletableFuture<String> row = new CompletableFuture<>();
    AtomicInteger begun = new AtomicInteger();
    List<CompletableFuture<@Nullable String>> answers = new ArrayList<>();
    for (int i = 0; i < places; i++) {
      answers.add(
          guard
              .getAsync(
                  "fresh-" + i,
                  () -> {
                    begun.incrementAndGet();
                    return row;
                  })
              .toCompletableFuture());
    }
    await().untilAsserted(() -> assertThat(begun).hasValue(places));
    row.complete("value");
    answers.forEach(answer -> assertThat(answer.join()).isEqualTo("value"));
  }

  private void call(VerifiedGuards guards, KnownKeys store, Random random, ExecutorService later) {
    for (int i = 0; i < CALLS; i++) {
      switch (random.nextInt(60)) {
        case 0 -> store.doubtful = !store.doubtful;
        case 1 -> guards.enforcement.disarm();
        case 2 -> guards.enforcement.arm();
        case 3 -> guards.enforcement.mode(FilterMode.OBSERVE);
        case 4 -> guards.enforcement.mode(FilterMode.ENFORCE);
        default -> {}
      }
      try {
        ask(guards.guard, random.nextInt(8), random, later);
      } catch (RequestShedException | IllegalStateException e) {
        // Counted as shed, or as an error.
      }
    }
  }

  private void ask(EntryGuard<String> guard, int way, Random random, ExecutorService later) {
    String key = "k" + random.nextInt(40);
    List<String> keys = List.copyOf(new LinkedHashSet<>(List.of(key, "k1", "x" + way)));
    int end = random.nextInt(4);
    asked.addAndGet(way > 4 ? keys.size() : 1);
    switch (way) {
      case 0 -> guard.get(key, () -> row(end));
      case 1 -> guard.call(key, () -> row(end));
      case 2 -> guard.check(key);
      case 3 -> admit(guard, key, end);
      case 4 -> {
        CompletionStage<?> answer = guard.getAsync(key, () -> laterRow(end, later));
        if (random.nextBoolean()) {
          answer.toCompletableFuture().cancel(true);
        }
      }
      case 5 -> guard.checkAll(keys);
      case 6 -> {
        try (Pass<String> admission = guard.ask(Ask.toLoadAll(keys))) {
          row(end);
        }
      }
      default -> guard.getAll(keys, missing -> rows(missing, end));
    }
  }

  private static @Nullable String row(int end) {
    if (end == 0) {
      throw new IllegalStateException();
    }
    return end == 1 ? null : "value";
  }

  private CompletionStage<@Nullable String> laterRow(int end, ExecutorService later) {
    if (end == 3) {
      throw new IllegalStateException();
    }
    CompletableFuture<@Nullable String> load = CompletableFuture.supplyAsync(() -> row(end), later);
    loads.add(load);
    return load;
  }

  @SuppressWarnings("NullAway") // a loader that answers nothing at all
  private static Map<String, String> rows(Set<String> keys, int end) {
    String row = row(end);
    if (row == null) {
      return null;
    }
    Map<String, String> rows = new HashMap<>();
    keys.forEach(key -> rows.put(key, row));
    return rows;
  }

  private static void admit(EntryGuard<String> guard, String key, int end) {
    try (Pass<String> pass = guard.ask(Ask.toPassOn(key).tried())) {
      if (end == 1) {
        pass.end(Finding.NOTHING);
      } else if (end == 2) {
        pass.end(Finding.VALUE);
      }
    }
  }
}
