package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.KeyedAttribute;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnWrites;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What a write does to its caches, to loads under way, and around a transaction. */
@ExtendWith(OutputCaptureExtension.class)
class FilterWritesTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final KnownKeys store = new KnownKeys("1");
  private final OpenTransaction transaction = new OpenTransaction();
  private final AtomicLong nanos = new AtomicLong(System.nanoTime());
  private final LocalValueCache cache = TestSettings.cache(Guards.CACHE, nanos::get);

  @Test
  void whoAsksWhileAWriteIsOpenDoesNotJoinALoadThatBeganBefore() {
    Guards guards = Guards.with(store, cache, Guards.loads(4));
    CompletableFuture<String> before = new CompletableFuture<>();
    var early = guards.guard.getAsync("1", () -> before).toCompletableFuture();
    try (KeyWrites.Write write = guards.guard.writes().beginWrites(List.of("1"), List.of())) {
      assertThat(guards.guard.getAsync("1", () -> done("new")).toCompletableFuture())
          .isCompletedWithValue("new");
    }
    before.complete("old");
    assertThat(early.join()).isEqualTo("old");
    assertThat(guards.guard.get("1", () -> "newest")).isEqualTo("newest");
  }

  @Test
  void whoAsksAfterAWriteDoesNotJoinALoadThatBeganWhileItWasOpen() {
    Guards guards = Guards.with(store, cache, Guards.loads(4));
    KeyWrites.Write write = guards.guard.writes().beginWrites(List.of("1"), List.of());
    CompletableFuture<String> during = new CompletableFuture<>();
    var early = guards.guard.getAsync("1", () -> during).toCompletableFuture();
    write.close();
    assertThat(guards.guard.getAsync("1", () -> done("new")).toCompletableFuture())
        .isCompletedWithValue("new");
    during.complete("old");
    assertThat(early.join()).isEqualTo("old");
    assertThat(guards.guard.get("1", () -> "newest")).isEqualTo("new");
  }

  @Test
  void whoAsksAfterAllIsDroppedDoesNotJoinALoadThatBeganBefore() {
    Guards guards = Guards.with(store, cache, Guards.loads(4));
    CompletableFuture<String> before = new CompletableFuture<>();
    var early = guards.guard.getAsync("1", () -> before).toCompletableFuture();
    guards.guard.writes().dropAll();
    assertThat(guards.guard.getAsync("1", () -> done("new")).toCompletableFuture())
        .isCompletedWithValue("new");
    before.complete("old");
    assertThat(early.join()).isEqualTo("old");
    assertThat(guards.guard.get("1", () -> "newest")).isEqualTo("new");
  }

  @Test
  void aWriteThatOneOfItsCachesRefusesLeavesNoBarrierInAnother() {
    ValueCache gone =
        new LocalCacheThat() {
          @Override
          public void beginWrite(String key, String token) {
            throw new CacheUnavailableException("gone", null);
          }
        };
    GuardRegistry registry =
        registry(Transactions.NONE, Duration.ofMinutes(10), List.of(cache, gone));
    EntryGuard<String> guard = guard(registry, "0");
    guard(registry, "1");
    assertThatThrownBy(() -> guard.put("1"))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("products");
    assertThat(store.adds).hasValue(0);
    assertThat(ValueCacheContractTest.store(cache, "1", null))
        .isEqualTo(ValueCache.StoreResult.STORED);
  }

  @Test
  void aBarrierThatCannotBeLiftedDoesNotFailTheWriteAndIsLoggedOnceAnOutage(CapturedOutput output) {
    AtomicBoolean away = new AtomicBoolean(true);
    ValueCache gone =
        new LocalCacheThat() {
          @Override
          public void endWrite(String key, String token) {
            if (away.get()) {
              throw new CacheUnavailableException("gone", null);
            }
          }
        };
    EntryGuard<String> guard = Guards.with(store, gone, Guards.loads(4)).guard;
    assertThat(guard.put("new")).isTrue();
    guard.put("newer");
    assertThat(output.getOut().split("cannot be lifted", -1)).hasSize(2);

    // A key of another master, which is not away.
    away.set(false);
    guard.put("new");
    away.set(true);
    guard.put("new");
    assertThat(output.getOut().split("cannot be lifted", -1)).hasSize(2);
  }

  @Test
  void failedAddsAreLoggedOnceAnOutage(CapturedOutput output) {
    EntryGuard<String> guard = Guards.with(store, cache, Guards.loads(4)).guard;
    for (int i = 0; i < 100; i++) {
      store.refusesAdds = i % 3 != 0;
      if (store.refusesAdds) {
        assertThatThrownBy(() -> guard.put("2")).isInstanceOf(AddFailedException.class);
      } else {
        guard.put("2");
      }
    }
    assertThat(output.getOut().split("could not be added", -1)).hasSize(2);
    assertThat(output).contains("'products'", "refused by the test").doesNotContain("'2'");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEntryThatCouldNotBeDroppedIsDroppedOnceItsCacheIsBack(boolean evicted) {
    AtomicBoolean away = new AtomicBoolean();
    ValueCache leaving =
        new LocalCacheThat(cache) {
          @Override
          public void beginWrite(String key, String token) {
            connect();
            cache.beginWrite(key, token);
          }

          @Override
          public void endWrite(String key, String token) {
            connect();
            cache.endWrite(key, token);
          }

          private void connect() {
            if (away.get()) {
              throw new CacheUnavailableException("gone", null);
            }
          }
        };
    LoadSettings loads =
        new LoadSettings(
            4, SOON, SOON, SOON, 10, Duration.ofMillis(50)); // the longest write is short
    Guards guards = Guards.with(store, leaving, loads);
    assertThat(guards.guard.get("1", () -> "old")).isEqualTo("old");
    if (evicted) {
      away.set(true);
      assertThatThrownBy(() -> guards.guard.evict("1")).isInstanceOf(AddFailedException.class);
    } else {
      KeyWrites.Write write = guards.guard.writes().beginWrites(List.of("1"), List.of());
      ValueCacheContractTest.store(cache, "1", "old");
      away.set(true);
      write.close();
    }
    away.set(false);
    await().until(() -> cache.controls() == 0);
    await().untilAsserted(() -> assertThat(guards.guard.get("1", () -> "new")).isEqualTo("new"));
    assertThat(guards.guard.get("1", () -> "newest")).as("kept again").isEqualTo("new");
  }

  @Test
  void anInterruptedThreadIsNoOutage(CapturedOutput output) {
    ValueCache interrupted =
        new LocalCacheThat() {
          @Override
          public void endWrite(String key, String token) {
            throw new CacheUnavailableException("interrupted", null);
          }
        };
    EntryGuard<String> guard = Guards.with(store, interrupted, Guards.loads(4)).guard;
    Thread.currentThread().interrupt();
    try {
      guard.put("new");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(output).doesNotContain("cannot be lifted");
  }

  @Test
  void aPutInATransactionHoldsItsBarrierUntilTheTransactionHasEnded() {
    EntryGuard<String> guard = guard(registry(transaction, Duration.ofMinutes(10)), "0");
    assertThat(guard.put("new")).isTrue();
    assertThat(ValueCacheContractTest.store(cache, "new", null))
        .isEqualTo(ValueCache.StoreResult.REFUSED);
    transaction.beforeCommit.forEach(Runnable::run);
    assertThat(store.adds).as("added a moment ago").hasValue(1);
    transaction.completions.forEach(
        completion -> completion.completed(Transactions.End.ROLLED_BACK));
    assertThat(ValueCacheContractTest.store(cache, "new", null))
        .isEqualTo(ValueCache.StoreResult.STORED);
  }

  @Test
  void aPutThatTheJournalMayHaveForgottenIsAddedAgainBeforeTheCommit() {
    EntryGuard<String> guard = guard(registry(transaction, Duration.ZERO), "0");
    guard.put("new");
    transaction.beforeCommit.forEach(Runnable::run);
    assertThat(store.adds).hasValue(2);
    try (KeyWrites.Write write = guard.writes().beginWrites(List.of("other"), List.of())) {
      write.renew();
    }
    assertThat(store.adds).hasValue(4);
  }

  @Test
  void anEvictedKeyIsNotCachedUntilItsTransactionHasEnded() {
    EntryGuard<String> guard = guard(registry(transaction, Duration.ofMinutes(10)), "0");
    ValueCacheContractTest.store(cache, "1", "value");
    guard.evict("1");
    assertThat(cache.lookup("1", ValueCacheContractTest.STRING)).isEqualTo(CacheLookup.miss());
    assertThat(ValueCacheContractTest.store(cache, "1", "old"))
        .isEqualTo(ValueCache.StoreResult.REFUSED);
    transaction.completions.forEach(completion -> completion.completed(Transactions.End.COMMITTED));
    assertThat(ValueCacheContractTest.store(cache, "1", "new"))
        .isEqualTo(ValueCache.StoreResult.STORED);
    assertThat(store.removeAll(List.of("1"), 0)).as("a filter that cannot delete").isZero();
  }

  @Test
  void aKeyLeavesTheFilterOnlyOnceItsTransactionIsKnownToHaveCommitted() {
    store.removes = true;
    store.generation = 3;
    EntryGuard<String> guard = guard(registry(transaction, Duration.ofMinutes(10)), "0");
    guard.evict("1");
    assertThat(guard.check("1")).as("before the commit").isEqualTo(Membership.POSSIBLY_PRESENT);
    transaction.beforeCommit.forEach(Runnable::run);
    assertThat(guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
    transaction.completions.forEach(
        completion -> completion.completed(Transactions.End.ROLLED_BACK));
    assertThat(guard.check("1")).as("after a rollback").isEqualTo(Membership.POSSIBLY_PRESENT);
    transaction.completions.clear();
    guard.evict("1");
    transaction.completions.forEach(completion -> completion.completed(Transactions.End.COMMITTED));
    assertThat(guard.check("1")).isEqualTo(Membership.ABSENT);
  }

  /** It may have been read from the source after the row went, and never had the key. */
  @Test
  void aGenerationThatServesOnlySinceTheRowWentIsNotChanged() {
    store.removes = true;
    store.generation = 3;
    EntryGuard<String> guard = guard(registry(transaction, Duration.ofMinutes(10)), "0");
    guard.evict("1");
    store.generation = 4;
    transaction.completions.forEach(completion -> completion.completed(Transactions.End.COMMITTED));
    assertThat(guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
    KeyWrites.Removal removal = guard.writes().beginRemoval();
    store.generation = 5;
    removal.gone(List.of("1"));
    assertThat(guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(guard.removeAll(List.of("1", "1"))).as("a key of a call counts once").isOne();
  }

  @Test
  void aKeyLeavesTheFilterOnceATransactionHoweverOftenItIsAnnounced() {
    store.removes = true;
    store.generation = 3;
    EntryGuard<String> guard = guard(registry(transaction, Duration.ofMinutes(10)), "0");
    guard.evict("1");
    guard.evict("1");
    assertThat(guard.removeAll(List.of("1"))).isOne();
    store.addEach(List.of("1")); // Another row has counted up the same positions.
    transaction.completions.forEach(completion -> completion.completed(Transactions.End.COMMITTED));
    assertThat(guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
    transaction.completions.clear();
    guard.evict("1");
    transaction.completions.forEach(completion -> completion.completed(Transactions.End.COMMITTED));
    assertThat(guard.check("1")).as("of another transaction").isEqualTo(Membership.ABSENT);
  }

  @Test
  void soItDoesWithinOneDeletionOutsideOfTransactions() {
    store.removes = true;
    store.generation = 3;
    EntryGuard<String> guard = guard(registry(Transactions.NONE, Duration.ofMinutes(10)), "0");
    try (KeyWrites.Removal outer = guard.writes().beginRemoval()) {
      guard.evict("1");
      assertThat(guard.check("1")).isEqualTo(Membership.ABSENT);
      store.addEach(List.of("1"));
      guard.writes().evictAll(List.of("1"), outer);
      assertThat(guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
    }
    guard.evict("1");
    assertThat(guard.check("1")).isEqualTo(Membership.ABSENT);
  }

  /** A second removal would take the count of another key along. */
  @Test
  void aCallThatEndsAfterItsReturnRemovesNoKeyThatACallWithinItHasRemoved() {
    store.removes = true;
    store.generation = 3;
    EntryGuard<String> guard = guard(registry(Transactions.NONE, Duration.ofMinutes(10)), "0");
    store.addEach(List.of("1"));
    KeyWrites.Removal outer = guard.writes().beginRemoval();
    try (outer) {
      guard.evict("1");
      assertThat(guard.check("1")).isEqualTo(Membership.ABSENT);
    }
    store.addEach(List.of("1"));
    guard.writes().evictAll(List.of("1"), outer);
    assertThat(guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
  }

  @Test
  void whereRowsOfEntitiesRemoveTheirKeysNoOtherEvictionDoes() {
    store.removes = true;
    store.generation = 3;
    GuardRegistry registry = registry(Transactions.NONE, Duration.ofMinutes(10));
    EntryGuard<String> guard = guard(registry, "0");
    assertThat(
            registry.keyed(
                "products",
                new KeyedAttribute(
                    "Product", "its id", Long.class, Map.of(1L, 1L), false, true, false)))
        .isNull();
    guard.evict("1");
    assertThat(guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
    try (KeyWrites.Removal row = guard.writes().beginRemovalOfRows()) {
      row.gone(List.of("1"));
    }
    assertThat(guard.check("1")).isEqualTo(Membership.ABSENT);
  }

  @Test
  void aRemovalThatFailsDoesNotFailTheWriteThatIsCommitted() {
    store.removes = true;
    store.generation = 3;
    EntryGuard<String> guard = guard(registry(transaction, Duration.ofMinutes(10)), "0");
    guard.evict("1");
    store.refusesAdds = true;
    transaction.completions.forEach(completion -> completion.completed(Transactions.End.COMMITTED));
    assertThat(ValueCacheContractTest.store(cache, "1", "new"))
        .as("the barrier is lifted all the same")
        .isEqualTo(ValueCache.StoreResult.STORED);
    assertThatThrownBy(() -> guard.removeAll(List.of("1")))
        .isInstanceOf(RemovalFailedException.class);
  }

  @Test
  void aTransactionReadsWhatItHasWrittenByItself() {
    EntryGuard<String> guard = guard(registry(transaction, Duration.ofMinutes(10)), "0");
    KeyWrites.Write write = guard.writes().beginWrites(List.of("1"), List.of());
    CompletableFuture<Void> loading = new CompletableFuture<>();
    CompletableFuture<String> during = new CompletableFuture<>();
    var other =
        CompletableFuture.supplyAsync(
            () ->
                guard.get(
                    "1",
                    () -> {
                      loading.complete(null);
                      return during.join();
                    }));
    assertThat(guard.get("1", () -> waited(loading, "mine"))).isEqualTo("mine");
    assertThat(guard.get("1", () -> "again")).as("nothing is kept").isEqualTo("again");
    during.complete("theirs");
    assertThat(other.join()).isEqualTo("theirs");
    write.close();
    // A transaction that begins so soon after the write may lack it if its thread is held up
    // meanwhile.
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
    assertThat(guard.get("1", () -> "shared")).isEqualTo("shared");
    assertThat(guard.get("1", () -> "other")).isEqualTo("shared");
  }

  @Test
  void aTransactionReadsWhatItHasDeletedByItself() {
    EntryGuard<String> guard = guard(registry(transaction, Duration.ofMinutes(10)), "0");
    assertThat(guard.get("1", () -> "row")).isEqualTo("row");
    guard.evict("1");
    CompletableFuture.runAsync(() -> guard.get("1", () -> "still visible to others")).join();
    assertThat(guard.get("1", () -> null)).isNull();
  }

  private static String waited(CompletableFuture<Void> started, String value) {
    started.orTimeout(1, TimeUnit.MINUTES).join();
    return value;
  }

  @Test
  void nothingIsAddedForNoKeys() {
    assertThat(Guards.with(store, cache, Guards.loads(4)).guard.putAll(List.of())).isZero();
    assertThat(store.adds).hasValue(0);
  }

  private static CompletableFuture<String> done(String value) {
    return CompletableFuture.completedFuture(value);
  }

  @Test
  void theFeedIsToldOfAnOwnWriteThatHasTakenEffect() {
    Feed feed = followed(transaction, "new", "1");
    transaction.beforeCommit.forEach(Runnable::run);
    assertThat(feed.committed).isEmpty();
    transaction.end(Transactions.End.COMMITTED);
    assertThat(feed.committed).containsExactly("7[new][]", "7[][1]");
  }

  @Test
  void theFeedIsToldOfNoWriteThatMayNotHaveTakenEffect() {
    Feed feed = followed(transaction, "new", "1");
    transaction.beforeCommit.forEach(Runnable::run);
    transaction.end(Transactions.End.UNKNOWN);
    assertThat(feed.committed).isEmpty();
    assertThat(followed(Transactions.NONE, "new", "1").committed).isEmpty();
  }

  /** Caches of other processes would keep what the feed alone drops. */
  @Test
  void aFeedThatIsSharedIsNotToldOfWritesWhoseCacheIsNot() {
    Feed feed = followed(transaction, "new", "1");
    feed.shared = true;
    transaction.beforeCommit.forEach(Runnable::run);
    transaction.end(Transactions.End.COMMITTED);
    assertThat(feed.committed).isEmpty();
  }

  /** The feed must take back the count of a row that is gone. */
  @Test
  void aFeedThatRemovesKeysIsToldOfAddsAlone() {
    store.removes = true;
    Feed feed = followed(transaction, "new", "1");
    transaction.beforeCommit.forEach(Runnable::run);
    transaction.end(Transactions.End.COMMITTED);
    assertThat(feed.committed).containsExactly("7[new][]");
  }

  /** The feed of a filter, after the writes of two keys. */
  private Feed followed(Transactions transactions, String put, String evicted) {
    Feed feed = new Feed();
    KeyWrites writes = guard(registry(transactions, Duration.ofMinutes(10)), "0").writes();
    writes.followedBy(feed);
    writes.putEach(List.of(put), null);
    writes.evictAll(List.of(evicted), writes.beginRemoval());
    return feed;
  }

  /** A feed that knows every transaction by one number. */
  private static final class Feed implements OwnWrites {

    private final List<String> committed = new ArrayList<>();
    private boolean shared;

    @Override
    public boolean isShared() {
      return shared;
    }

    @Override
    public Transactions.Id transaction() {
      return () -> "7";
    }

    @Override
    public void committed(String id, List<String> added, List<String> changed) {
      committed.add(id + added + changed);
    }
  }

  private GuardRegistry registry(Transactions transactions, Duration retention) {
    return registry(transactions, retention, List.of(cache));
  }

  /** Its caches are named by their index. */
  private GuardRegistry registry(
      Transactions transactions, Duration retention, List<ValueCache> caches) {
    return TestSettings.registry(
        List.of(
            GuardedFilters.of(
                "products",
                store,
                UnknownPolicy.OPEN,
                new OutcomeCounters(),
                GuardListener.NONE,
                retention)),
        name -> caches.get(Integer.parseInt(name)),
        new KeyRules(256),
        Guards.loads(4),
        transactions);
  }

  private static EntryGuard<String> guard(GuardRegistry registry, String cache) {
    return registry.guard("products", cache, ValueType.of(String.class), EntryPoint.METHOD);
  }

  /** A transaction that the test ends. */
  private static final class OpenTransaction implements Transactions {

    private final List<Runnable> beforeCommit = new ArrayList<>();
    private final List<Completion> completions = new ArrayList<>();

    void end(End end) {
      completions.forEach(each -> each.completed(end));
    }

    @Override
    public boolean register(Runnable before, Completion after) {
      return beforeCommit.add(before) && completions.add(after);
    }

    @Override
    public @Nullable Long readsSince() {
      return System.nanoTime();
    }
  }
}
