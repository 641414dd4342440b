package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Every way into the guard tells of the keys that the filter denies, and of no others. */
class DeniedKeyListenerTest {

  private final List<Object> denied = new ArrayList<>();
  private final OutcomeCounters counters = new OutcomeCounters();
  private final KnownKeys store = new KnownKeys("1", "2");
  private final EntryGuard<String> guard =
      TestSettings.registry(
              List.of(
                  GuardedFilters.of(
                      "products",
                      store,
                      UnknownPolicy.OPEN,
                      counters,
                      GuardListener.NONE,
                      denied::add,
                      Duration.ofMinutes(10))),
              name -> new LocalValueCache(Guards.CACHE, null),
              new KeyRules(256),
              Guards.loads(4),
              Transactions.NONE)
          .guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);

  @Test
  void hearsOfEachDeniedKeyOnce() {
    guard.check("a");
    guard.admit("b");
    guard.call("c", () -> "value");
    guard.get("d", () -> "value");
    guard.getAsync("e", () -> CompletableFuture.completedFuture("value"));
    guard.checkAll(List.of("1", "f", "g"));
    guard.getAll(List.of("h", "2"), keys -> Map.of());
    try (Pass<String> unused = guard.ask(Ask.toLoadAll(List.of("i", "1")))) {
      assertThat(denied).containsExactly("a", "b", "c", "d", "e", "f", "g", "h", "i");
    }
    assertThat(counters.count(Outcome.REJECTED)).isEqualTo(denied.size());
  }

  @Test
  void hearsOfANumberAsTheCallerGaveIt() {
    guard.check(7L);
    assertThat(denied).containsExactly(7L);
  }

  @Test
  void hearsNothingOfKeysThatPassOrThatNobodyCanTell() {
    guard.check("1");
    guard.get("2", () -> "value");
    store.doubtful = true;
    guard.check("a");
    guard.checkAll(List.of("b", "1"));
    assertThat(denied).isEmpty();
  }
}
