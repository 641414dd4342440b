package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.VerifySettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One key in several spellings is one key for everything that a guard does with it. */
class FoldedKeysTest {

  private static final KeyFolding LOWER = KeyFolding.parse("lower.trailing.nfc");
  private static final KeyHasher HASHER =
      LOWER.over(KeyHash.SIPHASH_1_3.hasher(HashSecret.random()));

  private final ValueCache cache = new LocalValueCache(Guards.CACHE, null);
  private final List<Object> asked = new ArrayList<>();
  private FilterMode mode = FilterMode.ENFORCE;
  private VerifySettings verify = VerifySettings.OFF;
  private EntryGuard<String> guard = guard(Layout.BLOCKED);

  private EntryGuard<String> guard(Layout layout) {
    return guard(layout, 0);
  }

  private EntryGuard<String> guard(Layout layout, int others) {
    GuardedFilter filter = filter("users", layout, LOWER);
    FilterShape dense = Sizing.blocked(1, 0.5, 1);
    if (others > 0 && filter.store() instanceof LocalGenerations store) {
      try (GenerationStore.Build build = store.beginBuild(dense)) {
        long[] keys = LongStream.range(0, others).toArray();
        build.addAll(keys, keys.length);
        build.publish();
      }
    }
    return guards(List.of(filter)).guard("users", String.class);
  }

  private GuardRegistry guards(List<GuardedFilter> filters) {
    return TestSettings.registry(
        filters, name -> cache, new KeyRules(8), Guards.loads(4), Transactions.NONE);
  }

  private GuardedFilter filter(String name, Layout layout, KeyFolding folding) {
    LocalGenerations store =
        TestGenerations.local(
            name,
            shape -> MembershipFilters.create(shape, HASHER),
            Sizing.shape(layout, 1_000, 1e-9),
            Duration.ofMinutes(1),
            0,
            System::nanoTime);
    store.serveEmpty(Sizing.shape(layout, 1_000, 1e-9));
    return new GuardedFilter(
        name,
        store,
        UnknownPolicy.OPEN,
        new OutcomeCounters(),
        GuardListener.NONE,
        DeniedKeyListener.NONE,
        Duration.ofMinutes(1),
        new Verification(
            name,
            store,
            new LocalEnforcement(),
            mode,
            verify,
            Arrivals.NONE,
            RowKeys.NONE,
            Runnable::run,
            System::nanoTime),
        folding,
        Rejection.ABSENT,
        null);
  }

  private String load(Object key) {
    asked.add(key);
    return "value";
  }

  private @Nullable String get(Object key) {
    return guard.get(key, () -> load(key));
  }

  @ParameterizedTest
  @EnumSource(names = {"BLOCKED", "COUNTING"})
  void whatIsAddedInOneSpellingIsPresentInAll(Layout layout) {
    guard = guard(layout);
    guard.put("Admin");
    guard.putAll(List.of("E\u0301va  ", 42L));

    assertThat(guard.checkAll(List.of("ADMIN", "admin ", "\u00c9VA", "\u00e9va", "42", 42)))
        .containsOnly(Membership.POSSIBLY_PRESENT);
    assertThat(guard.check("admin")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(guard.check(" admin")).isEqualTo(Membership.ABSENT);
    assertThat(guard.check("eva")).isEqualTo(Membership.ABSENT);
  }

  @Test
  void spellingsShareTheirValue() {
    guard.put("Admin");
    assertThat(get("ADMIN")).isEqualTo("value");
    assertThat(get("admin")).isEqualTo("value");
    assertThat(get("Admin ")).isEqualTo("value");
    assertThat(guard.getAsync("aDMIN", () -> null).toCompletableFuture().join()).isEqualTo("value");
    assertThat(asked).containsExactly("ADMIN");
  }

  /** A filter that passes every key: what is loaded twice in vain is known from then on. */
  @Test
  void aFalsePositiveIsRejectedFromItsSecondNullEntryOnUntilOneSpellingIsWritten() {
    guard = guard(Layout.BLOCKED, 1_000);
    for (String spelling : List.of("Admin", "ADMIN")) {
      assertThat(guard.<RuntimeException>get(spelling, () -> null)).isNull();
      cache.endWrite("admin", "ended"); // As the null entry does by itself.
    }
    assertThat(get("admin")).as("a load").isNull();
    assertThat(guard.check("aDMIN")).isEqualTo(Membership.ABSENT);
    assertThat(get("other")).isEqualTo("value");
    assertThat(asked).containsExactly("other");

    guard.put("Admin");
    assertThat(get("admin")).isEqualTo("value");
  }

  /** The filter holds the dotless i equal to the other, of which databases do not agree. */
  @Test
  void whatWasFoundUnderADisputedLetterSaysNothingOfTheOther() {
    GuardedFilter filter = filter("users", Layout.BLOCKED, LOWER);
    try (GenerationStore.Build build =
        ((LocalGenerations) filter.store()).beginBuild(Sizing.blocked(1_000, 1e-9, 8))) {
      build.addAll(new String[] {"admin"}, 1);
      build.publish();
    }
    guard = guards(List.of(filter)).guard("users", String.class);
    for (int i = 0; i < 3; i++) {
      assertThat(guard.<RuntimeException>get("adm\u0131n", () -> null)).isNull();
      cache.endWrite("adm\u0131n", "ended"); // As the null entry does by itself.
    }
    assertThat(guard.check("admin")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(get("admin")).isEqualTo("value");
  }

  @Test
  void spellingsShareTheirNullEntryUntilOneOfThemIsWritten() {
    guard.put("Admin");
    assertThat(guard.<RuntimeException>get("ADMIN", () -> null)).isNull();
    assertThat(get("admin")).isNull();
    guard.put("aDmin");
    assertThat(get("admin")).isEqualTo("value");
    guard.evict("ADMIN");
    assertThat(get("Admin")).isEqualTo("value");
    assertThat(asked).containsExactly("admin", "Admin");
  }

  @Test
  void spellingsAreRemovedAsOneRow() {
    guard = guard(Layout.COUNTING);
    guard.put("admin");
    guard.put("admin");
    guard.put("admin");
    assertThat(guard.removeAll(List.of("Admin", "ADMIN", "admin "))).isEqualTo(1);
    guard.writes().evictAll(List.of("Admin", "ADMIN"), guard.writes().beginRemoval());
    assertThat(guard.check("aDmin")).isEqualTo(Membership.POSSIBLY_PRESENT);
    guard.evict("Admin");
    assertThat(guard.check("aDmin")).isEqualTo(Membership.ABSENT);
  }

  @Test
  void spellingsShareTheirLease() throws Exception {
    guard.put("Admin");
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<String> first =
          threads.submit(
              () ->
                  guard.get(
                      "ADMIN",
                      () -> {
                        loads.incrementAndGet();
                        begun.countDown();
                        go.await(10, TimeUnit.SECONDS);
                        return "first";
                      }));
      begun.await(10, TimeUnit.SECONDS);
      // Whoever else wants it finds the lease taken.
      assertThat(cache.tryLease("admin")).isNull();
      Future<String> second =
          threads.submit(
              () ->
                  guard.get(
                      "admin",
                      () -> {
                        loads.incrementAndGet();
                        return "second";
                      }));
      go.countDown();
      assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("first");
      assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo("first");
      assertThat(loads).hasValue(1);
    } finally {
      threads.shutdownNow();
    }
  }

  /** A rejection that takes no effect, or is verified, is of the folded key too. */
  @Test
  void whatIsLetThroughIsFoldedToo() {
    mode = FilterMode.OBSERVE;
    guard = guard(Layout.BLOCKED);
    assertThat(get("GHOST")).isEqualTo("value");
    assertThat(get("Ghost")).isEqualTo("value");
    assertThat(asked).containsExactly("GHOST");

    mode = FilterMode.ENFORCE;
    verify = VerifySettings.DEFAULT;
    guard = guard(Layout.BLOCKED);
    assertThat(
            guard.<RuntimeException>get(
                "OTHER",
                () -> {
                  assertThat(cache.tryLease("other")).isNull();
                  return null;
                }))
        .isNull();
    Lease lease = cache.tryLease("other");
    assertThat(lease).isNotNull();
    assertThat(get("Other")).as("verified without a lease").isNull();
  }

  @Test
  void aBarrierStandsForAllSpellings() {
    guard.put("Admin");
    try (KeyWrites.Write write = guard.writes().beginWrites(List.of("ADMIN"), List.of())) {
      write.renew();
      assertThat(ValueCacheContractTest.store(cache, "admin", null))
          .isNotEqualTo(StoreResult.STORED);
    }
    assertThat(ValueCacheContractTest.store(cache, "admin", null)).isEqualTo(StoreResult.STORED);
  }

  /** The database answers in the spelling of the row. */
  @Test
  void aBatchFindsWhatIsAnsweredInAnotherSpelling() {
    guard.putAll(List.of("Admin", "bob"));
    BatchLoader<String, String, RuntimeException> rows =
        keys -> {
          asked.addAll(keys);
          return Map.of("Admin", "a", "bob", "b");
        };
    Map<String, String> found = guard.getAll(List.of("ADMIN", "admin", "BOB ", "bob", "zoe"), rows);

    assertThat(found).isEqualTo(Map.of("ADMIN", "a", "admin", "a", "BOB ", "b", "bob", "b"));
    assertThat(asked).containsExactlyInAnyOrder("ADMIN", "BOB ");
    assertThat(get("Admin")).isEqualTo("a");
  }

  /** 8 bytes before and after: Ⱥ has two, ⱥ three. */
  @Test
  void aKeyIsBoundedAsItComesAndAsItIsFolded() {
    assertThat(guard.check("ȺȺ")).isEqualTo(Membership.ABSENT);
    for (String key : List.of("ȺȺȺȺ", "123456789", "        a", "   ", "a\u0001")) {
      assertThatThrownBy(() -> guard.check(key)).isInstanceOf(InvalidKeyException.class);
      assertThatThrownBy(() -> guard.put(key)).isInstanceOf(InvalidKeyException.class);
    }
    assertThatThrownBy(() -> guard.check("ȺȺȺȺ"))
        .hasMessageContaining("8 bytes")
        .hasMessageContaining("folded")
        .hasMessageNotContaining("Ⱥ");
  }

  @Test
  void aCacheIsNotSharedByFiltersOfOtherKeys() {
    GuardRegistry guards =
        guards(
            List.of(
                filter("users", Layout.BLOCKED, LOWER),
                filter("people", Layout.BLOCKED, LOWER),
                filter("orders", Layout.BLOCKED, KeyFolding.EXACT)));
    ValueType<String> type = ValueType.of(String.class);
    guards.guard("users", "shared", type, EntryPoint.METHOD);
    guards.guard("people", "shared", type, EntryPoint.METHOD);
    for (String cache : Set.of("shared", "users", "people")) {
      assertThatThrownBy(() -> guards.guard("orders", cache, type, EntryPoint.METHOD))
          .isInstanceOf(CacheUseException.class)
          .hasMessageContaining("'orders'")
          .hasMessageContaining(cache.equals("people") ? "'people'" : "'users'")
          .hasMessageContaining("'" + cache + "'");
    }
    guards.guard("orders", "orders", type, EntryPoint.METHOD);
  }

  @Test
  void anotherSpellingPassesTheGuardsWithinATrial() {
    verify = VerifySettings.DEFAULT;
    guard = guard(Layout.BLOCKED);
    assertThat(guard.get("ADMIN", () -> guard.get("admin", () -> "row"))).isEqualTo("row");
    EntryGuard<String> other = guard(Layout.BLOCKED);
    assertThat(
            other.getAll(
                List.of("ROOT"), keys -> Map.of("ROOT", "" + other.get("ROOT", () -> "row"))))
        .containsEntry("ROOT", "row");
  }
}
