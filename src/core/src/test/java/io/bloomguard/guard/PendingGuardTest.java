package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reads of a thread that has unwritten keys: every one goes to its own load. */
class PendingGuardTest {

  private final KnownKeys store = new KnownKeys();
  private final OutcomeCounters outcomes = new OutcomeCounters();
  private final LocalValueCache cache =
      new LocalValueCache(
          TestSettings.cache(
              Duration.ofMinutes(1), Duration.ofMinutes(1), 0, 10, 10, Duration.ofSeconds(10)),
          null);
  private boolean pending = true;
  private final EntryGuard<String> guard =
      new GuardRegistry(
              List.of(
                  GuardedFilters.of(
                      "things",
                      store,
                      UnknownPolicy.CLOSED,
                      outcomes,
                      GuardListener.NONE,
                      Duration.ofMinutes(10))),
              ValueCaches.alike(TestSettings.CACHE, name -> cache),
              new KeyRules(16),
              TestSettings.loads(1, Duration.ofMillis(200), Duration.ofMillis(200)),
              Transactions.NONE,
              new OwnedValues(() -> OwnedTypes.NONE),
              new KeyTypes(),
              filter -> pending && filter.equals("things"),
              new LoadThreads(1, 1))
          .guard("things", "things", ValueType.of(String.class), EntryPoint.METHOD);

  @Test
  void everyReadGoesToItsLoad() {
    assertThat(guard.check(1)).isEqualTo(Membership.UNKNOWN);
    assertThat(guard.checkAll(List.of(1, 2))).containsOnly(Membership.UNKNOWN);
    assertThat(guard.admit(1)).isTrue();
    try (Pass<Integer> admission = guard.ask(Ask.toLoadAll(List.of(1, 2)))) {
      assertThat(admission.keys()).containsExactly(1, 2);
    }
    assertThat(guard.<RuntimeException>call(1, () -> "one")).isEqualTo("one");
    assertThat(guard.<RuntimeException>get(1, () -> "one")).isEqualTo("one");
    assertThat(guard.<Integer, RuntimeException>getAll(List.of(1, 2), keys -> Map.of(1, "one")))
        .containsExactly(Map.entry(1, "one"));
    assertThat(guard.getAsync(1, () -> CompletableFuture.completedFuture("one")))
        .isCompletedWithValue("one");
    assertThat(outcomes.count(Outcome.BYPASSED)).isEqualTo(11);
  }

  @Test
  void nothingIsStoredAndNothingThatIsStoredIsAnswered() {
    store.addAll(List.of("1"));
    pending = false;
    assertThat(guard.<RuntimeException>get(1, () -> "old")).isEqualTo("old");
    pending = true;
    assertThat(guard.<RuntimeException>get(1, () -> "mine")).isEqualTo("mine");
    pending = false;
    assertThat(guard.<RuntimeException>get(1, () -> "new")).isEqualTo("old");
    assertThat(guard.<RuntimeException>get(2, () -> "denied")).isNull();
  }

  @Test
  void itsLoadsTakeAPlaceInTheBulkhead() {
    Pass<Integer> only = guard.ask(Ask.toLoadAll(List.of(1)));
    assertThatThrownBy(() -> guard.<RuntimeException>get(2, () -> "two"))
        .isInstanceOf(RequestShedException.class);
    only.close();
    assertThatThrownBy(
            () ->
                guard.<IllegalStateException>get(
                    2,
                    () -> {
                      throw new IllegalStateException("failed");
                    }))
        .hasMessage("failed");
    assertThat(guard.getAsync(3, () -> CompletableFuture.failedFuture(new IllegalStateException())))
        .isCompletedExceptionally();
    assertThat(guard.<RuntimeException>get(2, () -> "two")).isEqualTo("two");
    assertThat(outcomes.count(Outcome.SHED)).isEqualTo(1);
    assertThat(outcomes.count(Outcome.ERROR)).isEqualTo(2);
  }

  @Test
  void aCancelledLoadGivesItsPlaceBackWhenItEnds() {
    CompletableFuture<String> load = new CompletableFuture<>();
    assertThat(guard.getAsync(1, () -> load).toCompletableFuture().cancel(true)).isTrue();
    load.complete("one");
    assertThat(guard.<RuntimeException>get(2, () -> "two")).isEqualTo("two");
    assertThat(outcomes.count(Outcome.BYPASSED)).isEqualTo(2);
  }

  @Test
  void aKeyThatBreaksTheRulesIsRefused() {
    assertThatThrownBy(() -> guard.check("a key that is much too long"))
        .isInstanceOf(InvalidKeyException.class);
    assertThatThrownBy(() -> guard.check(1.5)).isInstanceOf(InvalidKeyException.class);
    assertThat(outcomes.count(Outcome.ERROR)).isEqualTo(2);
  }

  @Test
  void writesAreTheFiltersOwn() {
    assertThat(guard.put(1)).isTrue();
    assertThat(guard.putAll(List.of(2, 3))).isEqualTo(2);
    guard.writes().beginWrites(List.of(4), List.of()).close();
    try (KeyWrites.Write write = guard.writes().beginWrites(List.of(5), List.of(6))) {
      long asked = System.nanoTime();
      assertThat(cache.lastWrite("5")).as("open").isGreaterThanOrEqualTo(asked);
      assertThat(cache.lastWrite("6")).as("open").isGreaterThanOrEqualTo(asked);
      write.renew();
    }
    guard.evict(1);
    pending = false;
    assertThat(guard.checkAll(List.of(1, 2, 3, 4, 5))).containsOnly(Membership.POSSIBLY_PRESENT);
    assertThat(guard.check(6)).isEqualTo(Membership.ABSENT);
  }
}
