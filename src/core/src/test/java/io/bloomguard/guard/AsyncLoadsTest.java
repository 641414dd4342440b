package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.load.LoadSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Asynchronous calls over a cache that answers each step when the test says so. */
class AsyncLoadsTest {

  private static final Duration SOON = Duration.ofMinutes(1);
  private static final LoadSettings PATIENT =
      TestSettings.loads(4, Duration.ofMinutes(5), Duration.ofMinutes(5));

  private static final Transactions OPEN =
      new Transactions() {
        @Override
        public boolean register(Runnable beforeCommit, Completion afterCompletion) {
          return false;
        }

        @Override
        public @Nullable Long readsSince() {
          return System.nanoTime() - Duration.ofSeconds(1).toNanos();
        }
      };

  private final KnownKeys store = new KnownKeys("1", "2", "3");
  private final StepwiseCache cache = new StepwiseCache();
  private final List<Guards> made = new ArrayList<>();

  @AfterEach
  void nothingBlocks() {
    made.forEach(guards -> guards.registry.close());
    assertThat(cache.blocked).as("threads that asked the cache and waited").isEmpty();
  }

  private Guards guards(LoadSettings settings) {
    Guards guards = Guards.with(store, cache, settings);
    made.add(guards);
    return guards;
  }

  /** From the common pool, past a cache that takes its time, to a row that comes later still. */
  @Test
  void noThreadWaits() throws Exception {
    Guards guards = guards(PATIENT);
    CompletableFuture<@Nullable String> row = new CompletableFuture<>();
    List<String> loaders = new ArrayList<>();
    CompletableFuture<@Nullable String> answer =
        ForkJoinPool.commonPool()
            .submit(
                () ->
                    guards
                        .guard
                        .getAsync(
                            "1",
                            () -> {
                              loaders.add(Thread.currentThread().getName());
                              return row;
                            })
                        .toCompletableFuture())
            .get(1, TimeUnit.MINUTES);
    for (String step : List.of("lookup", "tryLease", "lookAgain")) {
      assertThat(answer).isNotDone();
      cache.answer(step);
    }
    Awaitility.await().untilAsserted(() -> assertThat(loaders).hasSize(1));
    assertThat(loaders.get(0)).startsWith("bloomguard-async-");
    // The thread that completes the row only sends the value.
    row.complete("value");
    assertThat(answer).isNotDone();
    CompletableFuture<String> heard = answer.thenApply(value -> Thread.currentThread().getName());
    cache.answer("store");
    assertThat(answer).succeedsWithin(SOON).isEqualTo("value");
    assertThat(heard).succeedsWithin(SOON).asString().startsWith("bloomguard-async-");
    assertThat(cache.real.lookup("1", ValueType.of(String.class)))
        .isEqualTo(CacheLookup.hit("value"));
  }

  @Test
  void aLeaderWaitsNoLongerThanMutexWait() {
    Guards guards = guards(TestSettings.loads(4, Duration.ofMinutes(5), Duration.ofSeconds(1)));
    var leader = guards.guard.getAsync("1", () -> CompletableFuture.completedFuture("value"));
    var joiner = guards.guard.getAsync("1", () -> CompletableFuture.completedFuture("value"));
    cache.answer("lookup");
    cache.answer("lookup");
    for (var call : List.of(leader, joiner)) {
      assertThat(call)
          .failsWithin(SOON)
          .withThrowableThat()
          .withCauseInstanceOf(RequestShedException.class);
    }
    cache.answer("tryLease");
    Awaitility.await().untilAsserted(() -> assertThat(cache.asked("release")).isTrue());
    cache.answer("release");
    Awaitility.await("what came too late is given back")
        .until(() -> cache.real.tryLease("1") != null);
    assertThat(guards.count(Outcome.SHED)).isEqualTo(2);
  }

  @Test
  void aCallWhoseLoadIsOverdueEnds() {
    Guards guards = guards(TestSettings.loads(4, Duration.ofMillis(50), Duration.ofMinutes(5)));
    var overdue = guards.guard.getAsync("1", CompletableFuture::new);
    for (String step : List.of("lookup", "tryLease", "lookAgain")) {
      cache.answer(step);
    }
    assertThat(overdue).failsWithin(SOON);
  }

  @Test
  void noMoreCallsAreUnderWayThanMayBe() {
    Guards guards =
        guards(TestSettings.loads(4, PATIENT.timeout(), PATIENT.maxWait(), PATIENT.maxWait(), 2));
    var first = guards.guard.getAsync("1", () -> CompletableFuture.completedFuture("value"));
    var second = guards.guard.getAsync("2", () -> CompletableFuture.completedFuture("value"));
    assertThat(guards.guard.getAsync("3", () -> CompletableFuture.completedFuture("value")))
        .failsWithin(SOON)
        .withThrowableThat()
        .withCauseInstanceOf(RequestShedException.class);
    for (String step : List.of("lookup", "tryLease", "lookAgain", "store")) {
      cache.answer(step);
      cache.answer(step);
    }
    assertThat(first).succeedsWithin(SOON);
    assertThat(second).succeedsWithin(SOON);
    var third = guards.guard.getAsync("3", () -> CompletableFuture.completedFuture("value"));
    for (String step : List.of("lookup", "tryLease", "lookAgain", "store")) {
      cache.answer(step);
    }
    assertThat(third).succeedsWithin(SOON);
  }

  @Test
  void insideATransactionTheCallingThreadAsksAndLoads() {
    LocalValueCache local = new LocalValueCache(Guards.CACHE, null);
    ValueCache either =
        new LocalCacheThat(local) {
          @Override
          public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
            return cache.store(lease, value, type);
          }

          @Override
          public boolean answersInMemory() {
            return false;
          }
        };
    Guards guards = Guards.within(OPEN, either);
    made.add(guards);
    List<Thread> loaders = new ArrayList<>();
    var answer =
        guards.guard.getAsync(
            "1",
            () -> {
              loaders.add(Thread.currentThread());
              return CompletableFuture.completedFuture("value");
            });
    assertThat(loaders).containsExactly(Thread.currentThread());
    cache.answer("store");
    assertThat(answer).succeedsWithin(SOON).isEqualTo("value");
  }

  /** A cache that notes who waits for it, and answers a step when it is told to. */
  private static final class StepwiseCache extends LocalCacheThat {

    private final LocalValueCache real;
    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
    private final List<String> blocked = new ArrayList<>();
    private final ExecutorService redis = Executors.newSingleThreadExecutor();

    private record Step(String name, Runnable answer) {}

    StepwiseCache() {
      this(new LocalValueCache(Guards.CACHE, null));
    }

    private StepwiseCache(LocalValueCache real) {
      super(real);
      this.real = real;
    }

    boolean asked(String name) {
      return steps.stream().anyMatch(step -> step.name().equals(name));
    }

    /** Answers the first step of that name, which is waited for. */
    void answer(String name) {
      Awaitility.await().until(() -> asked(name));
      Step first =
          steps.stream().filter(step -> step.name().equals(name)).findFirst().orElseThrow();
      steps.remove(first);
      redis.execute(first.answer());
    }

    /** Waits for the answer of a step, on one of the threads that may. */
    private <T extends @Nullable Object> T waits(String name, Supplier<T> step) {
      String thread = Thread.currentThread().getName();
      if (!thread.startsWith("bloomguard-wait-")) {
        synchronized (blocked) {
          blocked.add(name + " on " + thread);
        }
        return step.get();
      }
      return later(name, step, Runnable::run).join();
    }

    private <T extends @Nullable Object> CompletableFuture<T> later(
        String name, Supplier<T> step, Executor threads) {
      CompletableFuture<T> answer = new CompletableFuture<>();
      steps.add(new Step(name, () -> answer.completeAsync(step, threads)));
      return answer;
    }

    @Override
    public boolean answersInMemory() {
      return false;
    }

    @Override
    public <V> CompletableFuture<CacheLookup<V>> lookupAsync(
        String key, ValueType<V> type, Executor threads) {
      return later("lookup", () -> real.lookup(key, type), threads);
    }

    @Override
    public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
      return waits("lookup", () -> real.lookup(key, type));
    }

    @Override
    public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
      return waits("lookAgain", () -> real.lookup(key, type));
    }

    @Override
    public @Nullable Lease tryLease(String key) {
      return waits("tryLease", () -> real.tryLease(key));
    }

    @Override
    public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
      return waits("store", () -> real.store(lease, value, type));
    }

    @Override
    public void release(Lease lease) {
      waits(
          "release",
          () -> {
            real.release(lease);
            return lease;
          });
    }

    @Override
    public @Nullable Long lastWrite(String key) {
      return waits("lastWrite", () -> real.lastWrite(key));
    }
  }
}
