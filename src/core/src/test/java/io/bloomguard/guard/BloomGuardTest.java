package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.decision.Unguarded;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BloomGuardTest {

  private final Guards guards = Guards.over(new KnownKeys("1", "2", "ghost"));
  private final AtomicInteger loads = new AtomicInteger();

  private String load() {
    loads.incrementAndGet();
    return "value";
  }

  private String loadNothing() {
    loads.incrementAndGet();
    return null;
  }

  @Test
  void anAbsentKeyIsRejectedWithoutALoad() {
    assertThat(guards.guard.get("nobody", this::load)).isNull();
    assertThat(loads).hasValue(0);
    assertThat(guards.count(Outcome.REJECTED)).isOne();
    assertThat(guards.total()).isOne();
  }

  @Test
  void aPresentKeyIsLoadedOnceAndThenServedFromTheCache() {
    assertThat(guards.guard.get(1L, this::load)).isEqualTo("value");
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
    assertThat(guards.guard.get(1, this::load)).isEqualTo("value");
    assertThat(loads).hasValue(1);
    assertThat(guards.count(Outcome.LOADED)).isOne();
    assertThat(guards.count(Outcome.CACHE_HIT)).isEqualTo(2);
    assertThat(guards.total()).isEqualTo(3);
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void aNumberIsJudgedAsItsText(Number present, Number absent) {
    Guards exact = Guards.over(new KnownKeys(present.toString()));
    assertThat(exact.guard.check(present)).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(exact.guard.check(absent)).isEqualTo(Membership.ABSENT);
    assertThat(exact.guard.get(absent, this::load)).isNull();
    assertThat(exact.guard.get(present, this::load)).isEqualTo("value");
    assertThat(exact.guard.get(present.toString(), this::load)).isEqualTo("value");
    assertThat(loads).hasValue(1);
  }

  static List<Arguments> numbers() {
    return List.of(
        Arguments.of(Long.MIN_VALUE, Long.MAX_VALUE),
        Arguments.of(-1, 255),
        Arguments.of((short) -1, Short.MAX_VALUE),
        Arguments.of((byte) -1, (byte) 1),
        Arguments.of(BigInteger.TWO.pow(64), BigInteger.ZERO));
  }

  @Test
  void aNumberThatIsTooLongIsRefusedAsItsTextIs() {
    Guards short3 = Guards.under(new KeyRules(3), new KnownKeys("123", "-12"));
    for (Object fits : List.of(123L, -12, "123")) {
      assertThat(short3.guard.check(fits)).isEqualTo(Membership.POSSIBLY_PRESENT);
    }
    for (Object tooLong : List.of(1234L, 1234, (short) -123, "1234")) {
      assertThatThrownBy(() -> short3.guard.get(tooLong, this::load))
          .isInstanceOf(InvalidKeyException.class);
    }
    assertThat(short3.count(Outcome.ERROR)).isEqualTo(4);
    assertThat(short3.total()).isEqualTo(7);
  }

  @Test
  void aFalsePositiveIsLoadedOnceAndThenANullHit() {
    assertThat(guards.guard.get("ghost", this::loadNothing)).isNull();
    assertThat(guards.guard.get("ghost", this::loadNothing)).isNull();
    assertThat(loads).hasValue(1);
    assertThat(guards.count(Outcome.FALSE_POSITIVE)).isOne();
    assertThat(guards.count(Outcome.NULL_HIT)).isOne();
  }

  @Test
  void whatCannotBeToldGoesOnAndIsCountedAsBypassed() {
    guards.store.doubtful = true;
    assertThat(guards.guard.get("nobody", this::load)).isEqualTo("value");
    assertThat(guards.guard.check("nobody")).isEqualTo(Membership.UNKNOWN);
    assertThat(guards.guard.admit("nobody")).isTrue();
    assertThat(guards.guard.call("nobody", this::load)).isEqualTo("value");
    assertThat(guards.count(Outcome.BYPASSED)).isEqualTo(4);
    assertThat(guards.total()).isEqualTo(4);
  }

  @Test
  void aClosedFilterShedsWhatItCannotTell() {
    Guards closed = Guards.closed(new KnownKeys("1"));
    closed.store.doubtful = true;
    assertThatThrownBy(() -> closed.guard.get("1", this::load))
        .isInstanceOf(RequestShedException.class)
        .hasMessageContaining("products");
    assertThatThrownBy(() -> closed.guard.admit("1")).isInstanceOf(RequestShedException.class);
    assertThatThrownBy(() -> closed.guard.call("1", this::load))
        .isInstanceOf(RequestShedException.class);
    assertThatThrownBy(() -> closed.guard.getAll(List.of("1", "2"), keys -> Map.of()))
        .isInstanceOf(RequestShedException.class);
    assertThatThrownBy(() -> closed.guard.ask(Ask.toLoadAll(List.of("1", "2"))))
        .isInstanceOf(RequestShedException.class);
    assertThatThrownBy(() -> closed.guard.getAsync("1", () -> new CompletableFuture<>()))
        .isInstanceOf(RequestShedException.class);
    assertThat(closed.guard.check("1")).as("a plain question is answered").isNotNull();
    assertThat(loads).hasValue(0);
    assertThat(closed.count(Outcome.SHED)).isEqualTo(8);
  }

  @Test
  void decidingAloneCountsPassedAndRejected() {
    assertThat(guards.guard.check("1")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(guards.guard.checkAll(List.of(1, "nobody")))
        .containsExactly(Membership.POSSIBLY_PRESENT, Membership.ABSENT);
    assertThat(guards.guard.admit("nobody")).isFalse();
    try (Pass<String> admission = guards.guard.ask(Ask.toLoadAll(List.of("nobody", "2", "1")))) {
      assertThat(admission.keys()).containsExactly("2", "1");
    }
    assertThat(guards.guard.call("nobody", this::load)).isNull();
    assertThat(guards.count(Outcome.PASSED)).isEqualTo(4);
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(4);
    assertThat(guards.total()).isEqualTo(8);
  }

  @Test
  void theLoadersOwnExceptionReachesTheCallerAndNothingIsKept() {
    assertThatThrownBy(
            () ->
                guards.guard.get(
                    "1",
                    () -> {
                      throw new IOException("broken");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("broken");
    assertThat(guards.count(Outcome.ERROR)).isOne();
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
  }

  @Test
  void anInvalidKeyIsAnErrorAndNothingIsLookedUp() {
    for (String key : new String[] {"", "a\u0000b", "x".repeat(257), "\ud800"}) {
      assertThatThrownBy(() -> guards.guard.get(key, this::load))
          .isInstanceOf(InvalidKeyException.class);
    }
    assertThat(loads).hasValue(0);
    assertThat(guards.count(Outcome.ERROR)).isEqualTo(4);
    assertThat(guards.total()).isEqualTo(4);
  }

  @Test
  void anInvalidKeyOfManyIsAnErrorOfAll() {
    assertThatThrownBy(() -> guards.guard.checkAll(List.of("1", "")))
        .isInstanceOf(InvalidKeyException.class);
    assertThatThrownBy(() -> guards.guard.admit("")).isInstanceOf(InvalidKeyException.class);
    assertThat(guards.count(Outcome.ERROR)).isEqualTo(3);
    assertThatThrownBy(() -> guards.guard.put("")).isInstanceOf(InvalidKeyException.class);
    assertThat(guards.total()).as("a write has no outcome").isEqualTo(3);
  }

  @Test
  void aGuardNamesItsFilterAndARegistryAllOfThem() {
    assertThat(guards.guard.filter()).isEqualTo("products");
    assertThat(guards.registry.filters()).containsExactly("products");
    assertThat(guards.registry.cache("products")).isSameAs(guards.cache);
    assertThat(ValueType.of(String.class).type()).isEqualTo(String.class);
  }

  @Test
  void anUnknownFilterIsNamedTogetherWithTheConfiguredOnes() {
    assertThatThrownBy(
            () ->
                guards.registry.guard(
                    "orders", "orders", ValueType.of(Object.class), EntryPoint.METHOD))
        .isInstanceOf(UnknownFilterException.class)
        .hasMessageContaining("orders")
        .hasMessageContaining("products");
  }

  @Test
  void aBatchLoadsOnceWhatIsNeitherAbsentNorCached() {
    guards.guard.get("1", this::load);
    Map<Object, String> found =
        guards.guard.getAll(
            List.of(1L, "2", "ghost", "nobody", "2"),
            keys -> {
              loads.incrementAndGet();
              assertThat(keys).containsExactly("2", "ghost");
              return Map.of("2", "two");
            });
    assertThat(found).containsExactly(Map.entry(1L, "value"), Map.entry("2", "two"));
    assertThat(loads).hasValue(2);
    assertThat(guards.count(Outcome.REJECTED)).isOne();
    assertThat(guards.count(Outcome.CACHE_HIT)).isOne();
    assertThat(guards.count(Outcome.LOADED)).isEqualTo(2);
    assertThat(guards.count(Outcome.FALSE_POSITIVE)).isOne();
    assertThat(guards.guard.get("ghost", this::load)).as("its null entry").isNull();
  }

  @Test
  void aFailedBatchCountsEachKeyOnceAndLeavesNoLease() {
    assertThatThrownBy(
            () ->
                guards.guard.getAll(
                    List.of("1", "2"),
                    keys -> {
                      throw new IOException("broken");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(guards.count(Outcome.ERROR)).isEqualTo(2);
    assertThat(guards.total()).isEqualTo(2);
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
  }

  @Test
  void anAsynchronousLoadIsSharedAndCached() {
    CompletableFuture<String> source = new CompletableFuture<>();
    var first = guards.guard.getAsync("1", () -> counted(source)).toCompletableFuture();
    var second = guards.guard.getAsync("1", () -> counted(source)).toCompletableFuture();
    assertThat(first).isNotDone();
    source.complete("value");
    assertThat(first.join()).isEqualTo("value");
    assertThat(second.join()).isEqualTo("value");
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
    assertThat(guards.guard.getAsync("nobody", () -> counted(source)).toCompletableFuture().join())
        .isNull();
    assertThat(loads).hasValue(1);
    assertThat(guards.count(Outcome.LOADED)).isOne();
    assertThat(guards.count(Outcome.CACHE_HIT)).isEqualTo(2);
    assertThat(guards.count(Outcome.REJECTED)).isOne();
  }

  @Test
  void anAsynchronousFailureReachesAllWhoWaitAndNothingIsKept() {
    CompletableFuture<String> source = new CompletableFuture<>();
    var first = guards.guard.getAsync("1", () -> source).toCompletableFuture();
    var second = guards.guard.getAsync("1", () -> source).toCompletableFuture();
    source.completeExceptionally(new IOException("broken"));
    assertThatThrownBy(first::join).hasRootCauseInstanceOf(IOException.class);
    assertThatThrownBy(second::join).hasRootCauseInstanceOf(IOException.class);
    assertThat(guards.count(Outcome.ERROR)).isEqualTo(2);
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
  }

  private CompletableFuture<String> counted(CompletableFuture<String> source) {
    loads.incrementAndGet();
    return source;
  }

  @Test
  void aPutKeyIsThereAtOnceAndItsNullEntryIsGone() {
    assertThat(guards.guard.get("ghost", this::loadNothing)).isNull();
    assertThat(guards.guard.put("new")).isTrue();
    assertThat(guards.guard.put("new")).isFalse();
    guards.guard.put("ghost");
    assertThat(guards.guard.get("new", this::load)).isEqualTo("value");
    assertThat(guards.guard.get("ghost", this::load)).isEqualTo("value");
  }

  @Test
  void aWriteReachesEveryCacheOfItsFilter() {
    LocalValueCache names = new LocalValueCache(Guards.CACHE, null);
    LocalValueCache prices = new LocalValueCache(Guards.CACHE, null);
    GuardRegistry registry =
        GuardedFilters.registry(
            "products",
            new KnownKeys("1"),
            name -> name.equals("names") ? names : prices,
            Guards.loads(4));
    ValueType<String> type = ValueType.of(String.class);
    EntryGuard<String> byName = registry.guard("products", "names", type, EntryPoint.METHOD);
    EntryGuard<String> byPrice = registry.guard("products", "prices", type, EntryPoint.METHOD);
    byName.get("1", this::loadNothing);
    byPrice.get("1", this::loadNothing);
    byName.put("1");
    assertThat(byName.get("1", this::load)).isEqualTo("value");
    assertThat(byPrice.get("1", this::load)).isEqualTo("value");
  }

  @Test
  void anAddThatCannotBeStoredFailsTheWriteAndLeavesNoBarrier() {
    guards.store.refusesAdds = true;
    assertThatThrownBy(() -> guards.guard.put("1")).isInstanceOf(AddFailedException.class);
    guards.guard.get("1", this::loadNothing);
    assertThat(guards.guard.get("1", this::load)).as("a null entry was stored").isNull();
  }

  @Test
  void noNullEntryIsStoredWhileAWriteIsOpen() {
    KeyWrites.Write write = guards.guard.writes().beginWrites(List.of("1"), List.of());
    assertThat(guards.guard.get("1", this::loadNothing)).isNull();
    write.close();
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
  }

  @Test
  void anEvictedKeyIsLoadedAgain() {
    guards.guard.get("1", this::load);
    guards.guard.evict("1");
    guards.guard.get("1", this::load);
    assertThat(loads).hasValue(2);
  }

  @Test
  void anEvictedKeyLeavesTheFilterOnlyIfItsTransactionIsKnownToHaveCommitted() {
    List<String> removed = new java.util.ArrayList<>();
    List<Transactions.Completion> completions = new java.util.ArrayList<>();
    MembershipStore store =
        new MembershipStore() {
          @Override
          public Membership check(String key) {
            return Membership.POSSIBLY_PRESENT;
          }

          @Override
          public boolean[] addEach(List<String> keys) {
            return new boolean[keys.size()];
          }

          @Override
          public long generation() {
            return 7;
          }

          @Override
          public boolean removes() {
            return true;
          }

          @Override
          public int removeAll(List<String> keys, long generation) {
            assertThat(generation).isEqualTo(7);
            removed.addAll(keys);
            return keys.size();
          }
        };
    GuardRegistry registry =
        TestSettings.registry(
            List.of(
                GuardedFilters.of(
                    "products",
                    store,
                    UnknownPolicy.OPEN,
                    new OutcomeCounters(),
                    GuardListener.NONE,
                    Duration.ofMinutes(10))),
            name -> new LocalValueCache(Guards.CACHE, null),
            new io.bloomguard.filter.internal.KeyRules(256),
            Guards.loads(4),
            new Transactions() {
              @Override
              public boolean register(Runnable beforeCommit, Completion afterCompletion) {
                return completions.add(afterCompletion);
              }

              @Override
              public @Nullable Long readsSince() {
                return System.nanoTime();
              }
            });
    registry
        .guard("products", "products", ValueType.of(Object.class), EntryPoint.METHOD)
        .evict("rolled back");
    registry
        .guard("products", "products", ValueType.of(Object.class), EntryPoint.METHOD)
        .evict("committed");
    assertThat(removed).isEmpty();
    completions.get(0).completed(Transactions.End.ROLLED_BACK);
    completions.get(1).completed(Transactions.End.COMMITTED);
    assertThat(removed).containsExactly("committed");
  }

  @Test
  void twoSpellingsOfAKeyAreOneKeyAndBothAreAnswered() {
    Map<Object, String> found =
        guards.guard.getAll(
            List.<Object>of(1L, "1", 1),
            keys -> {
              assertThat(keys).hasSize(1);
              return Map.of(keys.iterator().next(), "value");
            });
    assertThat(found).containsOnlyKeys(1L, "1", 1).containsValue("value");
    assertThat(guards.count(Outcome.LOADED)).isOne();
    assertThat(guards.total()).isOne();
  }

  @Test
  void aBatchFindsWhatIsAnsweredUnderAKeyOfAnotherType() {
    Map<Object, String> rows = new TreeMap<>(Comparator.comparing(Object::toString));
    rows.put(1, "one");
    rows.put(new BigDecimal(2), "two");
    for (Map<Object, String> answer : List.of(new HashMap<>(rows), rows, integers(rows))) {
      Guards fresh = Guards.over(new KnownKeys("1", "2", "ghost"));
      for (EntryGuard<String> each : List.of(fresh.guard, unguarded())) {
        assertThat(each.getAll(List.<Object>of(1L, "2", "ghost"), keys -> answer))
            .containsExactly(Map.entry(1L, "one"), Map.entry("2", "two"));
        assertThat(
                each.getAllAsync(
                        List.<Object>of(1L, "2", "ghost"),
                        keys -> CompletableFuture.completedFuture(answer))
                    .toCompletableFuture()
                    .join())
            .containsExactly(Map.entry(1L, "one"), Map.entry("2", "two"));
      }
      assertThat(fresh.guard.get(1L, this::load)).as("kept").isEqualTo("one");
      assertThat(fresh.guard.get("ghost", this::load)).as("its null entry").isNull();
    }
  }

  /** The rows by keys of which the map compares no other type, as a raw map may hold them. */
  @SuppressWarnings("unchecked")
  private static Map<Object, String> integers(Map<Object, String> rows) {
    Map<Integer, String> integers = new TreeMap<>();
    rows.forEach((key, row) -> integers.put(((Number) key).intValue(), row));
    return (Map<Object, String>) (Map<?, String>) integers;
  }

  private static EntryGuard<String> unguarded() {
    return new Unguarded()
        .guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);
  }

  @Test
  void aBatchUnderKeysThatCannotBeComparedIsAnErrorAndNothingIsKept() {
    Map<Object, String> rows = new HashMap<>();
    rows.put(1.0, "one");
    rows.put(null, "none");
    assertThatThrownBy(() -> guards.guard.getAll(List.<Object>of(1L), keys -> rows))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a key of type java.lang.Double")
        .hasMessageContaining("of the keys that the loader was given");
    assertThat(guards.count(Outcome.ERROR)).isOne();
    rows.put(1L, "own");
    assertThat(guards.guard.getAll(List.<Object>of(1L), keys -> rows)).containsValue("own");
  }

  @Test
  void nullInPlaceOfABatchIsAnErrorAndNothingIsKept() {
    for (EntryGuard<String> each : List.of(guards.guard, unguarded())) {
      assertThatThrownBy(() -> each.getAll(List.of("1", "2"), keys -> null))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("null in place of a map");
      var later = each.getAllAsync(List.of("1"), keys -> CompletableFuture.completedFuture(null));
      assertThatThrownBy(() -> later.toCompletableFuture().join())
          .hasRootCauseInstanceOf(IllegalStateException.class);
    }
    assertThat(guards.count(Outcome.ERROR)).isEqualTo(3);
    assertThat(guards.total()).isEqualTo(3);
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
  }

  @Test
  void aLoaderThatAsksForItsOwnKeyDoesNotWaitForItself() {
    assertThat(guards.guard.get("1", () -> guards.guard.get("1", this::load))).isEqualTo("value");
    assertThat(loads).hasValue(1);
    assertThat(guards.guard.get("1", this::load)).isEqualTo("value");
    assertThat(loads).hasValue(1);
  }

  @Test
  void whoEntersWithADoubtfulKeyHoldsAPlaceUntilItIsDone() {
    Guards narrow =
        Guards.with(new KnownKeys("1"), new LocalValueCache(Guards.CACHE, null), Guards.loads(1));
    narrow.guard.ask(Ask.toLoadAll(List.of("1", "nobody")));
    narrow.store.doubtful = true;
    Pass<String> admission = narrow.guard.ask(Ask.toLoadAll(List.of("1", "nobody")));
    assertThat(admission.keys()).containsExactly("1", "nobody");
    assertThatThrownBy(() -> narrow.guard.ask(Ask.toLoadAll(List.of("2"))))
        .isInstanceOf(RequestShedException.class);
    admission.close();
    admission.close();
    try (Pass<String> next = narrow.guard.ask(Ask.toLoadAll(List.of("2")))) {
      assertThatThrownBy(() -> narrow.guard.ask(Ask.toLoadAll(List.of("3"))))
          .as("closing twice gives one place back")
          .isInstanceOf(RequestShedException.class);
      assertThat(next.keys()).containsExactly("2");
    }
    assertThat(narrow.count(Outcome.SHED)).isEqualTo(2);
    assertThat(narrow.count(Outcome.BYPASSED)).isEqualTo(3);
  }

  @Test
  void anAsynchronousLoadThatIsOverItsTimeKeepsItsPlaceUntilItEnds() {
    Guards narrow =
        Guards.with(
            new KnownKeys("1", "2"),
            new LocalValueCache(Guards.CACHE, null),
            TestSettings.loads(1, Duration.ofMillis(20), Duration.ofMillis(50)));
    CompletableFuture<String> slow = new CompletableFuture<>();
    var late = narrow.guard.getAsync("1", () -> slow).toCompletableFuture();
    assertThatThrownBy(late::join)
        .hasRootCauseInstanceOf(java.util.concurrent.TimeoutException.class);
    var next = narrow.guard.getAsync("2", () -> counted(slow)).toCompletableFuture();
    assertThatThrownBy(next::join).hasRootCauseInstanceOf(RequestShedException.class);
    assertThat(loads).as("begun while the only place was taken").hasValue(0);
    slow.complete("value");
    assertThat(narrow.guard.get("2", this::load)).isEqualTo("value");
    assertThat(narrow.guard.get("1", this::load)).as("kept, though late").isEqualTo("value");
    assertThat(loads).hasValue(1);
  }

  @Test
  void aFailureAfterAnAsynchronousLoadReachesItsCallers() {
    ValueCache broken =
        new LocalCacheThat() {
          @Override
          public StoreResult store(Lease lease, Object value, ValueType<?> type) {
            throw new IllegalStateException("broken");
          }
        };
    Guards hurt = Guards.with(new KnownKeys("1"), broken, Guards.loads(1));
    for (int i = 0; i < 2; i++) {
      release(broken, "1");
      var answer =
          hurt.guard
              .getAsync("1", () -> CompletableFuture.completedFuture("value"))
              .toCompletableFuture();
      assertThatThrownBy(answer::join).hasRootCauseMessage("broken");
    }
  }

  /** What a broken store left behind. */
  private static void release(ValueCache cache, String key) {
    cache.beginWrite(key, "w");
    cache.endWrite(key, "w");
  }
}
