package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls whose caller must not wait, while the filter's answer is still to come. */
class AsyncCallsTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final LateStore store = new LateStore();
  private final OutcomeCounters counters = new OutcomeCounters();
  private final AtomicReference<Duration> transaction = new AtomicReference<>();
  private Duration timeout = Duration.ofSeconds(60);
  private GuardRegistry registry = registry(UnknownPolicy.OPEN, 100);

  @AfterEach
  void close() {
    registry.close();
  }

  @Test
  void aCheckComesLater() {
    CompletableFuture<Membership> one = guard().checkAsync(1).toCompletableFuture();
    CompletableFuture<List<Membership>> many =
        guard().checkAllAsync(List.of(1, 9)).toCompletableFuture();
    assertThat(one).isNotDone();
    assertThat(many).isNotDone();
    assertThat(counters.count(Outcome.PASSED)).isZero();
    store.answer();
    assertThat(one).succeedsWithin(SOON).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(many)
        .succeedsWithin(SOON)
        .isEqualTo(List.of(Membership.POSSIBLY_PRESENT, Membership.ABSENT));
    assertThat(counters.count(Outcome.PASSED)).isEqualTo(2);
    assertThat(counters.count(Outcome.REJECTED)).isEqualTo(1);
  }

  @Test
  void aLoadComesLaterOnAThreadOfTheGuard() {
    AtomicReference<String> thread = new AtomicReference<>();
    CompletableFuture<String> loaded =
        guard()
            .getAsync(
                1,
                () -> {
                  thread.set(Thread.currentThread().getName());
                  return CompletableFuture.completedFuture("one");
                })
            .toCompletableFuture();
    CompletableFuture<String> rejected =
        guard()
            .getAsync(9, () -> CompletableFuture.failedFuture(new AssertionError()))
            .toCompletableFuture();
    assertThat(loaded).isNotDone();
    store.answer();
    assertThat(loaded).succeedsWithin(SOON).isEqualTo("one");
    assertThat(rejected).succeedsWithin(SOON).isNull();
    assertThat(thread.get()).startsWith("bloomguard-async-");
    assertThat(counters.count(Outcome.LOADED)).isEqualTo(1);
    assertThat(counters.count(Outcome.REJECTED)).isEqualTo(1);
  }

  @Test
  void aFailureIsTheLoadersOwn() {
    IllegalStateException failure = new IllegalStateException("of the loader");
    CompletableFuture<String> loaded =
        guard().getAsync(1, () -> CompletableFuture.failedFuture(failure)).toCompletableFuture();
    store.answer();
    assertThat(loaded).failsWithin(SOON).withThrowableThat().havingCause().isSameAs(failure);
  }

  @Test
  void aClosedFilterThatCannotTellFailsTheStage() {
    close();
    registry = registry(UnknownPolicy.CLOSED, 100);
    store.doubtful = true;
    CompletableFuture<String> loaded =
        guard().getAsync(1, () -> CompletableFuture.completedFuture("one")).toCompletableFuture();
    store.answer();
    assertThat(loaded)
        .failsWithin(SOON)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(RequestShedException.class);
    assertThat(counters.count(Outcome.SHED)).isEqualTo(1);
  }

  @Test
  void anInvalidKeyIsRefusedAtOnce() {
    assertThatThrownBy(() -> guard().getAsync("\n", () -> null))
        .isInstanceOf(InvalidKeyException.class);
    assertThatThrownBy(() -> guard().checkAsync("\n")).isInstanceOf(InvalidKeyException.class);
    assertThatThrownBy(() -> guard().getAllAsync(List.of("\n"), keys -> null))
        .isInstanceOf(InvalidKeyException.class);
    assertThatThrownBy(() -> guard().putAsync("\n")).isInstanceOf(InvalidKeyException.class);
  }

  @Test
  void anAdmissionThatComesAfterItsCallerHasGoneGivesItsPlaceBack() {
    store.doubtful = true;
    CompletableFuture<Pass<Integer>> gone = guard().askLater(Ask.toLoad(1).tried());
    CompletableFuture<Pass<Integer>> allGone = guard().askLater(Ask.toLoadAll(List.of(1, 2)));
    gone.cancel(false);
    allGone.cancel(false);
    store.answer();
    // Both places are free, or these two would wait for ever.
    CompletableFuture<Pass<Integer>> first = guard().askLater(Ask.toLoadAll(List.of(1, 2)));
    CompletableFuture<Pass<Integer>> second = guard().askLater(Ask.toLoad(2).tried());
    store.answer();
    assertThat(first).succeedsWithin(SOON).extracting(Pass::keys).isEqualTo(List.of(1, 2));
    assertThat(second).succeedsWithin(SOON).extracting(Pass::keys).isEqualTo(List.of(2));
    first.join().close();
    second.join().close();
    assertThat(counters.count(Outcome.ERROR)).isEqualTo(3);
    assertThat(counters.count(Outcome.BYPASSED)).isEqualTo(3);
  }

  @Test
  void aLoadWithinALoadBorrowsItsPlaceAlthoughTheFilterAnswersLater() {
    close();
    registry = registry(UnknownPolicy.OPEN, 1, 100);
    CompletableFuture<String> outer =
        guard()
            .getAsync(
                1, () -> guard().getAsync(2, () -> CompletableFuture.completedFuture("inner")))
            .toCompletableFuture();
    store.answerAll(2);
    assertThat(outer).succeedsWithin(SOON).isEqualTo("inner");
  }

  @Test
  void aTransactionStaysOnItsThread() {
    transaction.set(Duration.ZERO);
    AtomicReference<Thread> thread = new AtomicReference<>();
    assertThat(guard().checkAsync(9)).isCompletedWithValue(Membership.ABSENT);
    assertThat(
            guard()
                .getAsync(
                    1,
                    () -> {
                      thread.set(Thread.currentThread());
                      return CompletableFuture.completedFuture("one");
                    }))
        .isCompletedWithValue("one");
    assertThat(thread.get()).isSameAs(Thread.currentThread());
    assertThat(guard().putAsync(5)).isCompletedWithValue(true);
    assertThat(store.adder).isSameAs(Thread.currentThread());
  }

  @Test
  void noMoreCallsAreUnderWayThanMayBe() {
    close();
    registry = registry(UnknownPolicy.OPEN, 1);
    CompletableFuture<Membership> first = guard().checkAsync(1).toCompletableFuture();
    assertThat(guard().checkAsync(1)).isCompletedExceptionally();
    assertThat(guard().putAsync(1)).isCompletedExceptionally();
    assertThat(counters.count(Outcome.SHED)).isEqualTo(1);
    store.answer();
    assertThat(first).succeedsWithin(SOON).isEqualTo(Membership.POSSIBLY_PRESENT);
  }

  @Test
  void noMoreChecksWaitForAThreadThanCallsMayBeUnderWay() {
    close();
    registry = registry(UnknownPolicy.OPEN, 1, 3);
    CountDownLatch adding = new CountDownLatch(1);
    store.beforeAdd = adding;
    CompletableFuture<Boolean> added = guard().putAsync(5).toCompletableFuture();
    store.waits = true;
    List<CompletableFuture<Membership>> checks =
        Stream.of(1, 2, 3, 1, 2, 3)
            .map(key -> guard().checkAsync(key).toCompletableFuture())
            .toList();
    adding.countDown();
    assertThat(added).succeedsWithin(SOON);
    assertThat(checks.subList(0, 2)).allSatisfy(one -> assertThat(one).succeedsWithin(SOON));
    assertThat(checks.subList(2, 6)).allSatisfy(one -> assertThat(one).isCompletedExceptionally());
    assertThat(store.waited).hasValue(2);
    assertThat(counters.count(Outcome.SHED)).isEqualTo(4);
    assertThat(counters.count(Outcome.PASSED)).isEqualTo(2);
    assertThat(guard().checkAsync(1)).succeedsWithin(SOON);
  }

  @Test
  void writesWaitOnAThreadOfTheGuard() {
    assertThat(guard().putAsync(5)).succeedsWithin(SOON).isEqualTo(true);
    assertThat(store.adder.getName()).startsWith("bloomguard-wait-");
    assertThat(guard().putAllAsync(List.of(5, 6, 6))).succeedsWithin(SOON).isEqualTo(1);
    assertThat(guard().evictAsync(5)).succeedsWithin(SOON).isNull();
    store.refuses = true;
    assertThat(guard().putAsync(7))
        .failsWithin(SOON)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(AddFailedException.class);
  }

  @Test
  void aBatchWaitsOnAThreadOfTheGuard() {
    AtomicInteger loads = new AtomicInteger();
    CompletableFuture<Map<Integer, String>> values = new CompletableFuture<>();
    CompletableFuture<Map<Integer, String>> found =
        guard()
            .getAllAsync(
                List.of(1, 2, 9),
                keys -> {
                  loads.incrementAndGet();
                  assertThat(keys).containsExactlyInAnyOrder(1, 2);
                  return values;
                })
            .toCompletableFuture();
    assertThat(found).isNotDone();
    values.complete(Map.of(1, "one"));
    assertThat(found).succeedsWithin(SOON).isEqualTo(Map.of(1, "one"));
    assertThat(loads).hasValue(1);
    IllegalStateException failure = new IllegalStateException("of the loader");
    assertThat(guard().getAllAsync(List.of(3), keys -> CompletableFuture.failedFuture(failure)))
        .failsWithin(SOON)
        .withThrowableThat()
        .havingCause()
        .isSameAs(failure);
  }

  @Test
  void noWriteWaitsBehindABatch() {
    CompletableFuture<Map<Integer, String>> values = new CompletableFuture<>();
    List<CompletableFuture<Map<Integer, String>>> batches =
        Stream.of(1, 2, 3)
            .map(key -> guard().getAllAsync(List.of(key), keys -> values).toCompletableFuture())
            .toList();
    AtomicReference<String> thread = new AtomicReference<>();
    CountDownLatch attached = new CountDownLatch(1);
    store.beforeAdd = attached;
    CompletableFuture<Void> added =
        guard()
            .putAsync(5)
            .thenAccept(isNew -> thread.set(Thread.currentThread().getName()))
            .toCompletableFuture();
    attached.countDown();
    assertThat(added).succeedsWithin(SOON);
    assertThat(thread.get()).startsWith("bloomguard-async-");
    values.complete(Map.of());
    assertThat(batches).allSatisfy(batch -> assertThat(batch).succeedsWithin(SOON));
  }

  @Test
  void eachKeyOfABatchThatIsNotTakenIsCounted() {
    close();
    registry = registry(UnknownPolicy.OPEN, 1, 2);
    CompletableFuture<Map<Integer, String>> values = new CompletableFuture<>();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Map<Integer, String>> first =
        guard()
            .getAllAsync(
                List.of(1),
                keys -> {
                  begun.complete(null);
                  return values;
                })
            .toCompletableFuture();
    assertThat(begun).succeedsWithin(SOON);
    CompletableFuture<Map<Integer, String>> queued =
        guard().getAllAsync(List.of(2, 3), keys -> values).toCompletableFuture();
    assertThat(guard().getAllAsync(List.of(1, 2, 3, 3), keys -> values)).isCompletedExceptionally();
    assertThat(counters.count(Outcome.SHED)).isEqualTo(3);
    queued.cancel(false);
    values.complete(Map.of(1, "one"));
    assertThat(first).succeedsWithin(SOON).isEqualTo(Map.of(1, "one"));
    await().untilAsserted(() -> assertThat(counters.count(Outcome.ERROR)).isEqualTo(2));
    assertThat(counters.count(Outcome.LOADED)).isEqualTo(1);
  }

  @Test
  void anOverdueBatchIsCancelled() {
    close();
    timeout = Duration.ofMillis(20);
    registry = registry(UnknownPolicy.OPEN, 100);
    CompletableFuture<Map<Integer, String>> never = new CompletableFuture<>();
    assertThat(guard().getAllAsync(List.of(1), keys -> never))
        .failsWithin(SOON)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(TimeoutException.class);
    assertThat(never).isCancelled();
  }

  private EntryGuard<String> guard() {
    return registry.guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
  }

  private GuardRegistry registry(UnknownPolicy policy, int maxWaiting) {
    return registry(policy, 2, maxWaiting);
  }

  private GuardRegistry registry(UnknownPolicy policy, int places, int maxWaiting) {
    return TestSettings.registry(
        List.of(
            GuardedFilters.of(
                "products", store, policy, counters, GuardListener.NONE, Duration.ofMinutes(10))),
        name -> new LocalValueCache(Guards.CACHE, null),
        new KeyRules(256),
        TestSettings.loads(
            places, timeout, Duration.ofSeconds(60), Duration.ofSeconds(60), maxWaiting),
        new Transactions() {
          @Override
          public boolean register(Runnable beforeCommit, Completion afterCompletion) {
            return false;
          }

          @Override
          public @Nullable Long readsSince() {
            return transaction.get() == null ? null : Long.valueOf(System.nanoTime());
          }
        });
  }

  /** A store that answers when the test says so; it holds 1 to 3 and what is added. */
  private static final class LateStore implements MembershipStore {

    private final KnownKeys keys = new KnownKeys("1", "2", "3");
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    private volatile boolean doubtful;
    private volatile boolean refuses;

    /** Whether a thread that waits answers, and how often one has. */
    private volatile boolean waits;

    private final AtomicInteger waited = new AtomicInteger();
    private volatile Thread adder;
    private volatile CountDownLatch beforeAdd = new CountDownLatch(0);

    /** Answers what was asked so far. */
    void answer() {
      for (Runnable next = late.poll(); next != null; next = late.poll()) {
        next.run();
      }
    }

    /** Answers so many questions, which may be still to come. */
    void answerAll(int questions) {
      for (int left = questions; left > 0; ) {
        Runnable next = late.poll();
        if (next == null) {
          Thread.onSpinWait();
        } else {
          next.run();
          left--;
        }
      }
    }

    @Override
    public Membership check(String key) {
      return doubtful ? Membership.UNKNOWN : keys.check(key);
    }

    @Override
    public CompletableFuture<Membership[]> checkAsync(List<String> asked, Executor waiting) {
      if (waits) {
        return CompletableFuture.supplyAsync(
            () -> {
              waited.incrementAndGet();
              return checkAll(asked);
            },
            waiting);
      }
      CompletableFuture<Membership[]> answers = new CompletableFuture<>();
      late.add(() -> answers.complete(checkAll(asked)));
      return answers;
    }

    @Override
    public boolean likelyPresent(String key) {
      return true;
    }

    private static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public boolean[] addEach(List<String> added) {
      await(beforeAdd);
      adder = Thread.currentThread();
      keys.refusesAdds = refuses;
      return keys.addEach(added);
    }
  }
}
