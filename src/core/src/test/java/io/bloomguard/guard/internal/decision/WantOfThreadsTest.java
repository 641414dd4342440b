package io.bloomguard.guard.internal.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.GuardedFilters;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.guard.OwnedTypes;
import io.bloomguard.guard.PendingWrites;
import io.bloomguard.guard.RequestShedException;
import io.bloomguard.guard.TestSettings;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.load.LoadThreads;
import io.bloomguard.guard.internal.load.ScarceThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Asynchronous calls while no thread can be started: each ends at once, and holds nothing. */
class WantOfThreadsTest {

  private static final Duration FOREVER = Duration.ofHours(1);
  private static final int CALLS = 3;

  private final ScarceThreads scarce = new ScarceThreads();
  private final LoadThreads threads = scarce.threads(1, CALLS);
  private final OutcomeCounters counters = new OutcomeCounters();
  private final Store store = new Store();
  private final GuardRegistry registry =
      new GuardRegistry(
          List.of(
              GuardedFilters.of(
                  "products", store, UnknownPolicy.OPEN, counters, GuardListener.NONE, FOREVER)),
          ValueCaches.alike(
              TestSettings.CACHE, name -> new LocalValueCache(TestSettings.CACHE, null)),
          new KeyRules(256),
          TestSettings.loads(1, FOREVER, FOREVER, FOREVER, CALLS),
          Transactions.NONE,
          new OwnedValues(() -> OwnedTypes.NONE),
          new KeyTypes(),
          PendingWrites.NONE,
          threads);
  private final EntryGuard<String> guard = registry.guard("products", String.class);

  @AfterEach
  void close() {
    registry.close();
  }

  @Test
  void aCheckWhoseAnswerComesThenFails() {
    CompletionStage<Membership> check = guard.checkAsync(1);
    scarce.refuse(true);
    store.answer();
    assertShed(check);
    assertThat(counters.count(Outcome.SHED)).isEqualTo(1);
    assertAllFree();
  }

  @Test
  void aCheckThatNeedsAThreadIsUnknown() {
    store.waits = true;
    scarce.refuse(true);
    assertThat(guard.checkAsync(9)).isCompletedWithValue(Membership.UNKNOWN);
    store.waits = false;
    assertAllFree();
  }

  @Test
  void aLoadThatWaitsForNothingNeedsNone() {
    store.atOnce = true;
    scarce.refuse(true);
    assertThat(guard.getAsync(1, () -> CompletableFuture.completedFuture("one")))
        .isCompletedWithValue("one");
    assertThat(counters.count(Outcome.SHED)).isZero();
    assertAllFree();
  }

  @Test
  void aCallerThatWaitsForTheLoadOfAnotherFails() {
    store.atOnce = true;
    CompletableFuture<String> row = new CompletableFuture<>();
    CompletionStage<String> leader = guard.getAsync(1, () -> row);
    CompletionStage<String> follower = guard.getAsync(1, () -> row);
    scarce.refuse(true);
    row.complete("one");
    assertThat(leader).isCompletedWithValue("one");
    assertShed(follower);
    assertAllFree();
  }

  @Test
  void aCallerThatWaitsForAPlaceFails() {
    store.atOnce = true;
    CompletableFuture<String> row = new CompletableFuture<>();
    CompletionStage<String> first = guard.getAsync(1, () -> row);
    CompletionStage<String> second = guard.getAsync(2, () -> row);
    CompletionStage<String> third = guard.getAsync(3, () -> row);
    scarce.refuse(true);
    row.complete("one");
    assertThat(first).isCompletedWithValue("one");
    assertShed(second);
    assertShed(third);
    assertAllFree();
  }

  @Test
  void writesAndBatchesFail() {
    scarce.refuse(true);
    assertShed(guard.putAsync(5));
    assertThat(store.check("5")).isEqualTo(Membership.ABSENT);
    assertShed(guard.evictAsync(5));
    assertShed(guard.getAllAsync(List.of(1), keys -> CompletableFuture.completedFuture(Map.of())));
    assertAllFree();
  }

  @Test
  void aStepOfAWriteFailsAndItsLastRunsOnTheCallingThread() {
    KeyWrites.AsyncCall call = guard.writes().beginAsync();
    scarce.refuse(true);
    assertShed(
        call.run(
            () -> {
              store.addEach(List.of("5"));
              return CompletableFuture.completedFuture(null);
            }));
    assertThat(store.check("5")).isEqualTo(Membership.ABSENT);
    AtomicReference<Thread> last = new AtomicReference<>();
    assertThat(call.end(() -> last.set(Thread.currentThread()))).isCompleted();
    assertThat(last.get()).isSameAs(Thread.currentThread());
    assertAllFree();
  }

  private static void assertShed(CompletionStage<?> answer) {
    assertThat(answer.toCompletableFuture())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(RequestShedException.class)
        .withMessageContaining("No thread");
  }

  /** As many calls as may be under way begin, and a load gets the place. */
  private void assertAllFree() {
    scarce.refuse(false);
    for (int i = 0; i < CALLS; i++) {
      assertThat(threads.tryBegin()).isTrue();
    }
    for (int i = 0; i < CALLS; i++) {
      threads.end();
    }
    assertThat(guard.<RuntimeException>get(3, () -> "loaded")).isEqualTo("loaded");
  }

  /** A filter with the keys 1 to 3. */
  private static final class Store implements MembershipStore {

    private final Set<String> keys = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> answered = new CompletableFuture<>();
    private volatile boolean waits;
    private volatile boolean atOnce;

    void answer() {
      answered.complete(null);
    }

    @Override
    public Membership check(String key) {
      return List.of("1", "2", "3").contains(key) || keys.contains(key)
          ? Membership.POSSIBLY_PRESENT
          : Membership.ABSENT;
    }

    @Override
    public CompletableFuture<Membership[]> checkAsync(List<String> asked, Executor waiting) {
      if (waits) {
        return CompletableFuture.supplyAsync(() -> checkAll(asked), waiting);
      }
      return atOnce
          ? CompletableFuture.completedFuture(checkAll(asked))
          : answered.thenApply(nothing -> checkAll(asked));
    }

    @Override
    public boolean[] addEach(List<String> added) {
      keys.addAll(added);
      return new boolean[added.size()];
    }
  }
}
