package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.internal.GuardListener;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.Outcome;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.OwnedValues;
import io.bloomguard.guard.internal.SubjectStore;
import io.bloomguard.guard.internal.UnknownPolicy;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.decision.GuardRegistry;
import io.bloomguard.guard.internal.load.LoadThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The guard of one subject's filter, which keeps no values. */
class SubjectGuardTest {

  private final OutcomeCounters outcomes = new OutcomeCounters();
  private final BloomGuard<Object> guard =
      new GuardRegistry(
              List.of(
                  GuardedFilters.of(
                      "read",
                      new ReadByAnn(),
                      UnknownPolicy.OPEN,
                      outcomes,
                      GuardListener.NONE,
                      Duration.ofMinutes(10))),
              ValueCaches.alike(TestSettings.CACHE, name -> null),
              new KeyRules(16),
              TestSettings.loads(1, Duration.ofMillis(200), Duration.ofMillis(200)),
              Transactions.NONE,
              new OwnedValues(() -> OwnedTypes.NONE),
              new KeyTypes(),
              PendingWrites.NONE,
              new LoadThreads(1, 1))
          .guard("read", "ann");

  @Test
  void eachCallerLoadsForItself() {
    assertThat(guard.<RuntimeException>get(1, () -> "first")).isEqualTo("first");
    assertThat(guard.<RuntimeException>get(1, () -> "second")).isEqualTo("second");
    assertThat(guard.getAsync(1, () -> CompletableFuture.completedFuture("third")))
        .isCompletedWithValue("third");
    assertThat(guard.<RuntimeException>get(3, () -> "unread")).isNull();
    assertThat(outcomes.count(Outcome.PASSED)).isEqualTo(3);
    assertThat(outcomes.count(Outcome.REJECTED)).isEqualTo(1);
  }

  @Test
  void spellingsOfAKeyAreJudgedAndCountedOnce() {
    assertThat(
            guard.<Object, RuntimeException>getAll(
                List.of(1, "1", 3), keys -> Map.of(1, "number", "1", "text")))
        .isEqualTo(Map.of(1, "number", "1", "text"));
    assertThat(outcomes.count(Outcome.PASSED)).isEqualTo(1);
    assertThat(outcomes.count(Outcome.REJECTED)).isEqualTo(1);
  }

  @Test
  void aFailedLoadCountsAsAnError() {
    IllegalStateException failure = new IllegalStateException("database down");
    assertThatThrownBy(
            () ->
                guard.<Integer, RuntimeException>getAll(
                    List.of(1, 3),
                    keys -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(guard.getAsync(1, () -> CompletableFuture.failedFuture(failure)))
        .isCompletedExceptionally();
    assertThat(
            guard.<Integer>getAllAsync(List.of(1, 3), k -> CompletableFuture.failedFuture(failure)))
        .isCompletedExceptionally();
    assertThat(outcomes.count(Outcome.ERROR)).isEqualTo(3);
    assertThat(outcomes.count(Outcome.REJECTED)).isEqualTo(2);
    assertThat(outcomes.count(Outcome.PASSED)).isZero();
  }

  @Test
  void aBatchIsMatchedByTheTextOfItsKeys() {
    Map<Object, Object> rows = Map.of("1", "one", (short) 3, "unread");
    assertThat(guard.<Object, RuntimeException>getAll(List.of(1L, 3L), keys -> rows))
        .isEqualTo(Map.of(1L, "one"));
    assertThat(
            guard.<Object>getAllAsync(
                List.of(1L, 3L), keys -> CompletableFuture.completedFuture(rows)))
        .isCompletedWithValue(Map.of(1L, "one"));
    assertThatThrownBy(() -> guard.<Object, RuntimeException>getAll(List.of(1L), keys -> null))
        .hasMessageContaining("null in place of a map");
    assertThat(
            guard.<Object>getAllAsync(List.of(1L), keys -> CompletableFuture.completedFuture(null)))
        .isCompletedExceptionally();
    assertThat(outcomes.count(Outcome.ERROR)).isEqualTo(2);
  }

  @Test
  void aBatchWaitsOnNoThread() {
    CompletableFuture<Map<Integer, Object>> load = new CompletableFuture<>();
    CompletableFuture<Map<Integer, Object>> all =
        guard
            .getAllAsync(
                List.of(1, 3),
                keys -> {
                  assertThat(keys).isEqualTo(Set.of(1));
                  return load;
                })
            .toCompletableFuture();
    assertThat(all).isNotDone();
    load.complete(Map.of(1, "one"));
    assertThat(all).isCompletedWithValue(Map.of(1, "one"));
  }

  /** The articles 1 and 2, for every subject. */
  private static final class ReadByAnn extends KnownKeys implements SubjectStore {

    ReadByAnn() {
      super("1", "2");
    }

    @Override
    public MembershipStore of(String subject) {
      return new KnownKeys("1", "2");
    }
  }
}
