package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.Reject;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.confirm.ConfirmationFailedException;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.verify.Arrivals;
import io.bloomguard.guard.internal.verify.RowKeys;
import io.bloomguard.guard.internal.verify.Verification;
import io.bloomguard.guard.internal.verify.VerifySettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a blacklist rejects at each entry of the guard, and what it counts. */
class BlacklistGuardTest {

  private final KnownKeys store = new KnownKeys("listed", "false", "7");
  private final OutcomeCounters counters = new OutcomeCounters();
  private final LocalEnforcement enforcement = new LocalEnforcement();
  private final List<Object> denied = new ArrayList<>();
  private final AtomicInteger loads = new AtomicInteger();
  private @Nullable GuardRegistry registry;

  @AfterEach
  void close() {
    if (registry != null) {
      registry.close();
    }
  }

  /** The ways to bring one key to the guard: each answers whether it went on. */
  private enum Way {
    ADMIT {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        return guard.admit(key);
      }
    },
    ADMIT_WITH_PLACE {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        Pass<Object> pass = guard.ask(Ask.toPassOn(key).tried());
        assertThat(pass.isTrial()).isFalse();
        assertThat(pass.isHeld()).isFalse();
        return !pass.isEmpty();
      }
    },
    CALL {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        return guard.call(key, test::load) != null;
      }
    },
    GET {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        return guard.get(key, test::load) != null;
      }
    },
    GET_ALL {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        return guard.getAll(List.of(key), keys -> Map.of(key, "value")).containsKey(key);
      }
    },
    GET_ASYNC {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        return joined(
                guard
                    .getAsync(key, () -> CompletableFuture.completedFuture(test.load()))
                    .toCompletableFuture())
            != null;
      }
    },
    ENTER {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        try (Pass<Object> admission = guard.ask(Ask.toLoadAll(List.of(key)))) {
          return admission.keys().contains(key);
        }
      }
    },
    ENTER_LATER {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        return joined(guard.askLater(Ask.toLoadAll(List.of(key)))).keys().contains(key);
      }
    },
    ENTER_ONE_LATER {
      @Override
      boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key) {
        return joined(guard.askLater(Ask.toLoad(key).tried())).keys().contains(key);
      }
    };

    abstract boolean goesOn(BlacklistGuardTest test, EntryGuard<String> guard, Object key);

    private static <T> T joined(CompletableFuture<T> future) {
      try {
        return future.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : e;
      }
    }
  }

  /** An exact source that says what the test wants. */
  private static class Source implements ExactSource {

    final AtomicInteger questions = new AtomicInteger();
    final Set<String> listed = ConcurrentHashMap.newKeySet();
    final CountDownLatch open = new CountDownLatch(1);
    volatile boolean hangs;
    volatile boolean fails;
    volatile Duration timeout = Duration.ofSeconds(30);

    @Override
    public void ask(List<String> keys, Answers answers) throws Exception {
      questions.incrementAndGet();
      if (hangs) {
        open.await();
      }
      if (fails) {
        throw new ConfirmationFailedException("refused by the test");
      }
      for (String key : keys) {
        if (!answers.accept(key, listed.contains(key))) {
          return;
        }
      }
    }

    @Override
    public Duration timeout() {
      return timeout;
    }
  }

  private String load() {
    loads.incrementAndGet();
    return "value";
  }

  private EntryGuard<String> guard(UnknownPolicy policy, @Nullable ExactSource confirm) {
    return guard(policy, FilterMode.ENFORCE, KeyFolding.EXACT, confirm);
  }

  private EntryGuard<String> guard(
      UnknownPolicy policy, FilterMode mode, KeyFolding folding, @Nullable ExactSource confirm) {
    GuardedFilter filter =
        new GuardedFilter(
            "revoked",
            store,
            policy,
            counters,
            GuardListener.NONE,
            denied::add,
            Duration.ofMinutes(10),
            new Verification(
                "revoked",
                store,
                enforcement,
                mode,
                VerifySettings.OFF,
                Arrivals.NONE,
                RowKeys.NONE,
                Runnable::run,
                System::nanoTime),
            folding,
            new Rejection(Reject.PRESENT, confirm),
            null);
    registry =
        TestSettings.registry(
            List.of(filter),
            name -> {
              throw new AssertionError("a blacklist has no value cache");
            },
            new KeyRules(64),
            TestSettings.loads(4, Duration.ofSeconds(5), Duration.ofSeconds(60)),
            Transactions.NONE);
    return registry.guard("revoked", "revoked", ValueType.of(String.class), EntryPoint.METHOD);
  }

  private void assertCounted(Outcome... outcomes) {
    Map<Outcome, Long> expected = new LinkedHashMap<>();
    Map<Outcome, Long> counted = new LinkedHashMap<>();
    for (Outcome outcome : Outcome.values()) {
      expected.put(outcome, Arrays.stream(outcomes).filter(outcome::equals).count());
      counted.put(outcome, counters.count(outcome));
    }
    assertThat(counted).isEqualTo(expected);
  }

  @ParameterizedTest
  @EnumSource
  void whatTheFilterHoldsIsRejected(Way way) {
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, null);

    assertThat(way.goesOn(this, guard, "listed")).isFalse();
    assertThat(way.goesOn(this, guard, 7L)).isFalse();

    assertThat(loads).hasValue(0);
    assertCounted(Outcome.REJECTED, Outcome.REJECTED);
    assertThat(denied).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void whatItDoesNotHoldGoesOn(Way way) {
    EntryGuard<String> guard = guard(UnknownPolicy.CLOSED, null);

    assertThat(way.goesOn(this, guard, "innocent")).isTrue();
    assertThat(way.goesOn(this, guard, 8)).isTrue();

    assertCounted(Outcome.PASSED, Outcome.PASSED);
    assertThat(denied).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void whatItCannotTellGoesOnWhereThePolicyIsOpen(Way way) {
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, null);
    store.doubtful = true;

    assertThat(way.goesOn(this, guard, "listed")).isTrue();

    assertCounted(Outcome.BYPASSED);
  }

  @ParameterizedTest
  @EnumSource
  void whatItCannotTellIsShedWhereThePolicyIsClosed(Way way) {
    EntryGuard<String> guard = guard(UnknownPolicy.CLOSED, null);
    store.doubtful = true;

    assertThatThrownBy(() -> way.goesOn(this, guard, "listed"))
        .isInstanceOf(RequestShedException.class);

    assertThat(loads).hasValue(0);
    assertCounted(Outcome.SHED);
  }

  @ParameterizedTest
  @EnumSource
  void whatTheSourceConfirmsIsRejected(Way way) {
    Source source = new Source();
    source.listed.add("listed");
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, source);

    assertThat(way.goesOn(this, guard, "listed")).isFalse();

    assertThat(source.questions).hasValue(1);
    assertThat(loads).hasValue(0);
    assertCounted(Outcome.REJECTED);
    assertThat(denied).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void whatTheSourceDoesNotConfirmGoesOn(Way way) {
    EntryGuard<String> guard = guard(UnknownPolicy.CLOSED, new Source());

    assertThat(way.goesOn(this, guard, "false")).isTrue();

    assertCounted(Outcome.FALSE_POSITIVE);
    assertThat(denied).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void whatTheFilterLacksIsNotAskedFor(Way way) {
    Source source = new Source();
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, source);

    assertThat(way.goesOn(this, guard, "innocent")).isTrue();

    assertThat(source.questions).hasValue(0);
    assertCounted(Outcome.PASSED);
  }

  @ParameterizedTest
  @EnumSource
  void aFailingSourceIsUnknown(Way way) {
    Source source = new Source();
    source.fails = true;

    assertThat(way.goesOn(this, guard(UnknownPolicy.OPEN, source), "listed")).isTrue();
    assertCounted(Outcome.BYPASSED);

    close();
    assertThatThrownBy(() -> way.goesOn(this, guard(UnknownPolicy.CLOSED, source), "listed"))
        .isInstanceOf(RequestShedException.class);
    assertCounted(Outcome.BYPASSED, Outcome.SHED);
  }

  @ParameterizedTest
  @EnumSource
  void aHungSourceIsUnknownAndNotAskedForTheKeyAgain(Way way) {
    Source source = new Source();
    source.hangs = true;
    source.timeout = Duration.ofMillis(50);
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, source);
    try {
      // One whose time is over before its turn is not asked for.
      await()
          .untilAsserted(
              () -> {
                assertThat(way.goesOn(this, guard, "listed")).isTrue();
                assertThat(source.questions).hasValue(1);
              });
      long before = counters.count(Outcome.BYPASSED);

      assertThat(way.goesOn(this, guard, "listed")).isTrue();

      assertThat(source.questions).hasValue(1);
      assertThat(counters.count(Outcome.BYPASSED)).isEqualTo(before + 1);
    } finally {
      source.open.countDown();
    }
    source.hangs = false;
    source.timeout = Duration.ofSeconds(30);
    source.listed.add("listed");
    await().untilAsserted(() -> assertThat(way.goesOn(this, guard, "listed")).isFalse());
  }

  @ParameterizedTest
  @EnumSource
  void aFilterThatObservesCountsAndRejectsNothing(Way way) {
    EntryGuard<String> guard =
        guard(UnknownPolicy.CLOSED, FilterMode.OBSERVE, KeyFolding.EXACT, null);

    assertThat(way.goesOn(this, guard, "listed")).isTrue();
    store.doubtful = true;
    assertThat(way.goesOn(this, guard, "listed")).isTrue();

    assertCounted(Outcome.REJECTED, Outcome.BYPASSED);
  }

  /** A request whose key is in doubt is refused, and not judged. */
  @Test
  void aRequestInDoubtIsRefusedWhileTheFilterEnforces() {
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, null);
    assertThat(guard.admitUnclear()).isFalse();
    assertCounted(Outcome.REJECTED);
    assertThat(
            guard(UnknownPolicy.CLOSED, FilterMode.OBSERVE, KeyFolding.EXACT, null).admitUnclear())
        .isTrue();
    assertCounted(Outcome.REJECTED);
  }

  @ParameterizedTest
  @EnumSource
  void anInvalidKeyIsAnError(Way way) {
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, null);

    assertThatThrownBy(() -> way.goesOn(this, guard, "x".repeat(65)))
        .isInstanceOf(InvalidKeyException.class);

    assertCounted(Outcome.ERROR);
  }

  @Test
  void aLoadThatFailsIsAnError() {
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, null);

    assertThatThrownBy(
            () ->
                guard.call(
                    "innocent",
                    () -> {
                      throw new IllegalStateException("of the test");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(
            () ->
                guard.getAll(
                    List.of("a", "b"),
                    keys -> {
                      throw new IllegalStateException("of the test");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertCounted(Outcome.ERROR, Outcome.ERROR, Outcome.ERROR);
  }

  @Test
  void checkTellsMembershipAndAsksNoSource() {
    Source source = new Source();
    EntryGuard<String> guard = guard(UnknownPolicy.CLOSED, source);

    assertThat(guard.check("listed")).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(guard.checkAll(List.of("listed", "innocent")))
        .containsExactly(Membership.POSSIBLY_PRESENT, Membership.ABSENT);
    store.doubtful = true;
    assertThat(guard.check("listed")).isEqualTo(Membership.UNKNOWN);

    assertThat(source.questions).hasValue(0);
    assertCounted(Outcome.REJECTED, Outcome.REJECTED, Outcome.PASSED, Outcome.BYPASSED);
  }

  @Test
  void whereItObservesNothingIsConcludedFromACheck() {
    EntryGuard<String> guard =
        guard(UnknownPolicy.OPEN, FilterMode.OBSERVE, KeyFolding.EXACT, null);

    assertThat(guard.checkAll(List.of("listed", "innocent")))
        .containsExactly(Membership.UNKNOWN, Membership.ABSENT);
  }

  @Test
  void aCollectionKeepsTheKeysThatAreNotListed() {
    Source source = new Source();
    source.listed.add("listed");
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, source);

    try (Pass<String> admission =
        guard.ask(Ask.toLoadAll(List.of("a", "listed", "false", "b", "a")))) {
      assertThat(admission.keys()).containsExactly("a", "false", "b", "a");
    }

    assertThat(source.questions).as("one call for all that are held").hasValue(1);
    assertCounted(
        Outcome.PASSED, Outcome.PASSED, Outcome.PASSED, Outcome.REJECTED, Outcome.FALSE_POSITIVE);
  }

  @Test
  void aBatchLoadsTheKeysThatAreNotListedInTheSpellingsOfTheCaller() {
    KeyFolding lower =
        new KeyFolding(
            KeyFolding.LetterCase.LOWER, KeyFolding.Trim.NONE, KeyFolding.Normalise.NONE);
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, FilterMode.ENFORCE, lower, null);
    List<Set<String>> asked = new ArrayList<>();

    Map<String, String> found =
        guard.getAll(
            List.of("a", "listed", "A"),
            keys -> {
              asked.add(keys);
              return Map.of("a", "1", "A", "2");
            });

    assertThat(asked).containsExactly(Set.of("a", "A"));
    assertThat(found).containsOnly(Map.entry("a", "1"), Map.entry("A", "2"));
    assertCounted(Outcome.PASSED, Outcome.REJECTED);
  }

  @Test
  void aCallWhoseFilterIsClosedShedsAllKeys() {
    Source source = new Source();
    source.fails = true;
    EntryGuard<String> guard = guard(UnknownPolicy.CLOSED, source);

    assertThatThrownBy(() -> guard.ask(Ask.toLoadAll(List.of("a", "listed"))))
        .isInstanceOf(RequestShedException.class);

    assertCounted(Outcome.SHED, Outcome.SHED);
  }

  @Test
  void manyCallersOfAKeyAskOnce() throws Exception {
    Source source = new Source();
    source.hangs = true;
    source.listed.add("listed");
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, source);
    ExecutorService callers = Executors.newCachedThreadPool();
    try {
      List<Future<Boolean>> sync =
          IntStream.range(0, 20)
              .mapToObj(i -> callers.submit(() -> guard.admit("listed")))
              .toList();
      List<CompletableFuture<Pass<String>>> async =
          Stream.generate(() -> guard.askLater(Ask.toLoad("listed").tried())).limit(20).toList();
      await().untilAsserted(() -> assertThat(source.questions).hasValue(1));
      assertThat(async).noneMatch(CompletableFuture::isDone);
      source.open.countDown();
      for (Future<Boolean> admitted : sync) {
        assertThat(admitted.get(30, TimeUnit.SECONDS)).isFalse();
      }
      for (CompletableFuture<Pass<String>> admission : async) {
        assertThat(admission.get(30, TimeUnit.SECONDS).keys()).isEmpty();
      }
    } finally {
      source.open.countDown();
      callers.shutdownNow();
    }
    assertThat(counters.count(Outcome.REJECTED)).isEqualTo(40);
  }

  @Test
  void aWriteOfTheKeyLetsLaterCallersAskAgain() throws Exception {
    Source source = new Source();
    source.hangs = true;
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, source);
    try {
      CompletableFuture<Pass<String>> before = guard.askLater(Ask.toLoad("false").tried());
      await().untilAsserted(() -> assertThat(source.questions).hasValue(1));
      assertThat(guard.put("false")).isFalse();
      CompletableFuture<Pass<String>> after = guard.askLater(Ask.toLoad("false").tried());
      await().untilAsserted(() -> assertThat(source.questions).hasValue(2));
      source.open.countDown();
      assertThat(before.get(30, TimeUnit.SECONDS).keys()).containsExactly("false");
      assertThat(after.get(30, TimeUnit.SECONDS).keys()).containsExactly("false");
    } finally {
      source.open.countDown();
    }
  }

  @Test
  void whatIsPutIsRejectedFromThenOn() {
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, null);

    assertThat(guard.admit("new")).isTrue();
    assertThat(guard.put("new")).isTrue();
    assertThat(guard.admit("new")).isFalse();
  }

  @Test
  void aReportOfAFoundKeyProvesNothing() {
    EntryGuard<String> guard = guard(UnknownPolicy.OPEN, null);

    assertThat(guard.reportFound(List.of("innocent"))).isZero();

    assertThat(enforcement.standing().disarmed()).isFalse();
    assertThat(guard.admit("listed")).isFalse();
  }
}
