package io.bloomguard.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.GuardedFilters;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.PendingAdds;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Guarded calls of one thread that serves all requests, as Netty's do, while Redis hangs. */
class EventLoopTest extends RedisTestBase {

  private static final int CALLS = 100;

  private ExecutorService loop;
  private GuardRegistry registry;
  private EntryGuard<String> guard;
  private RedisConnections connections;

  @BeforeEach
  void guard() {
    loop = Executors.newSingleThreadExecutor();
    // Longer than the test may take: a call that waits for Redis on the loop is seen.
    connections = redis.connections(Duration.ofMinutes(5));
    GenerationStore store =
        new RedisGenerationStore(
            settings(connections, SHAPE),
            SECRET,
            List.of(),
            KeyHash.SIPHASH_1_3,
            KeyFolding.EXACT,
            AT_ONCE);
    build(store, SHAPE, List.of("1", "2", "3"));
    CacheSettings cache =
        TestSettings.cache(
            Duration.ofMinutes(1), Duration.ofMinutes(1), 0, 100, 100, Duration.ofMinutes(30));
    registry =
        GuardedFilters.registry(
            "products",
            store,
            name -> valueCache(connections, cache, new KeyDigest(SECRET)),
            TestSettings.loads(4, Duration.ofMinutes(5), Duration.ofMinutes(5)));
    guard = registry.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
    assertThat(guard.check(1)).isEqualTo(Membership.POSSIBLY_PRESENT);
  }

  @AfterEach
  void close() {
    loop.shutdownNow();
    registry.close();
  }

  @Test
  void noCallHoldsUpTheOthersOfItsThread() throws Exception {
    List<CompletableFuture<?>> checks;
    List<CompletableFuture<?>> manyChecks;
    List<CompletableFuture<?>> loads;
    List<CompletableFuture<?>> rejected;
    List<CompletableFuture<?>> batches;
    List<CompletableFuture<?>> admissions;
    List<CompletableFuture<?>> requests;
    List<CompletableFuture<?>> adds;
    List<CompletableFuture<?>> writes;
    try (EmbeddedRedis.Halt halt = redis.halt()) {
      checks = begun(() -> guard.checkAsync(9));
      manyChecks = begun(() -> guard.checkAllAsync(List.of(1, 9)));
      loads = begun(() -> guard.getAsync(1, () -> CompletableFuture.completedFuture("one")));
      rejected =
          begun(
              () -> guard.getAsync(9, () -> CompletableFuture.failedFuture(new AssertionError())));
      batches =
          begun(
              () ->
                  guard.getAllAsync(
                      List.of(2, 9), keys -> CompletableFuture.completedFuture(Map.of(2, "two"))));
      admissions = begun(() -> guard.askLater(Ask.toLoad(3).tried()));
      requests = begun(() -> guard.askLater(Ask.toPassOn(9)));
      adds = begun(() -> guard.putAsync(4));
      writes = begun(this::write);
      // The thread is free for other requests, and Redis has answered none of these.
      assertThat(loop.submit(() -> "another request").get(60, TimeUnit.SECONDS)).isNotNull();
      for (List<CompletableFuture<?>> calls :
          List.of(checks, manyChecks, loads, rejected, batches, admissions, requests)) {
        assertThat(calls).noneMatch(CompletableFuture::isDone);
      }
    }
    assertCome(checks, Membership.ABSENT);
    assertCome(manyChecks, List.of(Membership.POSSIBLY_PRESENT, Membership.ABSENT));
    assertCome(loads, "one");
    assertCome(rejected, null);
    assertCome(batches, Map.of(2, "two"));
    for (CompletableFuture<?> call : admissions) {
      Pass<?> admission = (Pass<?>) call.get(60, TimeUnit.SECONDS);
      assertThat(admission.keys()).hasSize(1);
      admission.close();
    }
    for (CompletableFuture<?> call : requests) {
      assertThat(((Pass<?>) call.get(60, TimeUnit.SECONDS)).isEmpty()).isTrue();
    }
    // An add may have waited for its second, which is an answer too.
    adds.addAll(writes);
    CompletableFuture.allOf(adds.toArray(CompletableFuture[]::new))
        .handle((added, failure) -> added)
        .get(60, TimeUnit.SECONDS);
    assertThat(guard.putAsync(5).toCompletableFuture().get(60, TimeUnit.SECONDS)).isTrue();
  }

  /** A write as an annotated method makes it, whose row is written at once. */
  private CompletionStage<?> write() {
    KeyWrites.AsyncCall call = guard.writes().beginAsync();
    AtomicReference<KeyWrites.Write> open = new AtomicReference<>();
    PendingAdds adds = new PendingAdds();
    return call.run(
            () -> {
              open.set(guard.writes().beginWrites(List.of(6), List.of(), adds::add));
              return adds.settled(Transactions.NONE);
            })
        .handle((begun, failure) -> call)
        .thenCompose(
            begun ->
                begun.end(
                    () -> {
                      if (open.get() != null) {
                        open.get().close();
                      }
                    }));
  }

  @Test
  void anAnswerThatIsNotTrustedIsReadAgainElsewhere() throws Exception {
    // The image that this process knows is replaced by another process.
    GenerationStore other =
        new RedisGenerationStore(
            settings(first, SHAPE),
            SECRET,
            List.of(),
            KeyHash.SIPHASH_1_3,
            KeyFolding.EXACT,
            AT_ONCE);
    build(other, SHAPE, List.of("1", "7"));
    List<CompletableFuture<?>> checks = begun(() -> guard.checkAllAsync(List.of(1, 7, 9)));
    assertCome(
        checks,
        List.of(Membership.POSSIBLY_PRESENT, Membership.POSSIBLY_PRESENT, Membership.ABSENT));
  }

  @Test
  void checksOfOneThreadShareCommands() throws Exception {
    redis.commands().configResetstat();
    List<CompletableFuture<?>> checks;
    try (EmbeddedRedis.Halt halt = redis.halt()) {
      checks = begun(() -> guard.checkAsync(9));
    }
    assertCome(checks, Membership.ABSENT);
    // The first leaves alone; the others come while it is under way.
    assertThat(redis.calls("bitfield_ro")).isEqualTo(2);
  }

  @Test
  void aCancelledCallTakesNoAnswerFromTheOthersOfItsCommand() throws Exception {
    List<CompletableFuture<?>> checks;
    try (EmbeddedRedis.Halt halt = redis.halt()) {
      checks = begun(() -> guard.checkAsync(9));
      for (int i = 0; i < CALLS; i += 2) {
        checks.get(i).cancel(true);
      }
    }
    for (int i = 0; i < CALLS; i++) {
      if (i % 2 == 0) {
        assertThat(checks.get(i)).isCancelled();
      } else {
        assertThat((Object) checks.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(Membership.ABSENT);
      }
    }
  }

  private static void assertCome(List<CompletableFuture<?>> calls, @Nullable Object expected)
      throws Exception {
    for (CompletableFuture<?> call : calls) {
      assertThat((Object) call.get(60, TimeUnit.SECONDS)).isEqualTo(expected);
    }
  }

  /** Calls begun on the loop, one after the other. */
  private List<CompletableFuture<?>> begun(Callable<? extends CompletionStage<?>> call)
      throws Exception {
    return loop.submit(
            () -> {
              List<CompletableFuture<?>> calls = new ArrayList<>();
              for (int i = 0; i < CALLS; i++) {
                calls.add(call.call().toCompletableFuture());
              }
              return calls;
            })
        .get(60, TimeUnit.SECONDS);
  }
}
