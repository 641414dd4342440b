package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.internal.cache.LocalValueCache;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a load finds in a transaction that may not see the last write is for its caller alone. */
class OldTransactionTest {

  private final LocalValueCache cache = new LocalValueCache(Guards.CACHE, null);

  @Test
  void whatMayLackAWriteIsNotKept() {
    Guards old = Guards.within(begun(Duration.ofHours(1)), cache);
    old.guard.put("1");
    assertThat(old.guard.get("1", () -> null)).isNull();
    assertThat(old.guard.get("1", () -> "value")).isEqualTo("value");
    assertThat(old.guard.getAll(List.of("1"), keys -> Map.of("1", "other")))
        .containsEntry("1", "other");
    assertThat(
            old.guard
                .getAsync("1", () -> CompletableFuture.completedFuture("third"))
                .toCompletableFuture())
        .isCompletedWithValue("third");
    assertThat(old.guard.get("1", () -> "fourth")).isEqualTo("fourth");
  }

  @Test
  void whoWaitedForItLoadsAnew() {
    Guards old = Guards.within(begun(Duration.ofHours(1)), cache);
    old.guard.put("1");
    CompletableFuture<String> source = new CompletableFuture<>();
    var early = old.guard.getAsync("1", () -> source).toCompletableFuture();
    var late =
        old.guard
            .getAsync("1", () -> CompletableFuture.completedFuture("new"))
            .toCompletableFuture();
    source.complete("old");
    assertThat(early.join()).isEqualTo("old");
    assertThat(late.join()).isEqualTo("new");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT5M", "P365D"})
  void whatWasNotWrittenOfLateIsKept(Duration age) {
    Guards old = Guards.within(begun(age), cache);
    assertThat(old.guard.get("1", () -> "value")).isEqualTo("value");
    assertThat(old.guard.get("1", () -> "other")).isEqualTo("value");
  }

  /** A write that the view lacks may be forgotten by then. */
  @Test
  void whatIsReadInAViewOlderThanTheMemoryOfWritesIsNotKept() {
    Guards old = Guards.within(begun(CacheSettings.RECENT.plusMinutes(1)), cache);
    assertThat(old.guard.get("1", () -> null)).isNull();
    assertThat(old.guard.get("1", () -> "value")).isEqualTo("value");
    assertThat(old.guard.get("1", () -> "other")).isEqualTo("other");
  }

  @ParameterizedTest
  @EnumSource
  void theOldestSessionOrTransactionCounts(Oldest oldest) {
    Transactions transactions =
        begun(oldest == Oldest.TRANSACTION ? Duration.ofMinutes(5) : Duration.ZERO)
            .reading(
                List.of(
                    () -> null,
                    () -> ago(oldest == Oldest.SESSION ? Duration.ofMinutes(5) : Duration.ZERO)));
    assertThat(transactions.readsSince() - ago(Duration.ofMinutes(5))).isNotPositive();
    Guards old = Guards.within(transactions, cache);
    old.guard.put("1");
    assertThat(old.guard.get("1", () -> null)).isNull();
    assertThat(old.guard.get("1", () -> "value")).isEqualTo("value");
  }

  private static long ago(Duration age) {
    return System.nanoTime() - age.toNanos();
  }

  enum Oldest {
    TRANSACTION,
    SESSION
  }

  /** A session alone is no transaction: other rules hold for its loads. */
  @Test
  void aSessionOutsideATransactionCounts() {
    Transactions transactions =
        Transactions.NONE.reading(List.of(() -> ago(Duration.ofMinutes(5))));
    assertThat(transactions.isActive()).isFalse();
    Guards old = Guards.within(transactions, cache);
    old.guard.put("1");
    assertThat(old.guard.get("1", () -> null)).isNull();
    assertThat(old.guard.getAll(List.of("1"), keys -> Map.of("1", "value")))
        .containsEntry("1", "value");
    assertThat(
            old.guard
                .getAsync("1", () -> CompletableFuture.completedFuture("third"))
                .toCompletableFuture()
                .join())
        .isEqualTo("third");
    assertThat(old.guard.get("1", () -> "fourth")).isEqualTo("fourth");
  }

  /** That one is known once the load has used it. */
  @Test
  void anOlderSessionThatTheLoadUsesCounts() {
    AtomicReference<@Nullable Duration> used = new AtomicReference<>(Duration.ofMinutes(5));
    Transactions transactions =
        Transactions.NONE.reading(
            List.of(
                new ReadSessions() {
                  @Override
                  public @Nullable Long openedAt() {
                    return null;
                  }

                  @Override
                  public LongFunction<@Nullable Long> used() {
                    return moment -> {
                      Duration age = used.get();
                      return age == null ? null : moment - age.toNanos();
                    };
                  }
                }));
    Guards old = Guards.within(transactions, cache);
    old.guard.put("1");
    assertThat(old.guard.get("1", () -> null)).isNull();
    assertThat(old.guard.getAll(List.of("1"), keys -> Map.of("1", "value")))
        .containsEntry("1", "value");
    assertThat(
            old.guard
                .getAsync("1", () -> CompletableFuture.completedFuture("third"))
                .toCompletableFuture()
                .join())
        .isEqualTo("third");
    assertThat(old.guard.get("1", () -> "fourth")).isEqualTo("fourth");
    used.set(null);
    assertThat(old.guard.get("1", () -> "fifth")).isEqualTo("fifth");
    assertThat(old.guard.get("1", () -> "sixth")).isEqualTo("fifth");
  }

  @Test
  void aTransactionThatBeganAfterTheWriteSeesIt() {
    Guards young = Guards.within(begun(Duration.ZERO), cache);
    young.guard.put("1");
    // The clock need not tell two calls apart.
    long now = System.nanoTime();
    while (System.nanoTime() == now) {
      Thread.onSpinWait();
    }
    assertThat(young.guard.get("1", () -> "value")).isEqualTo("value");
    assertThat(young.guard.get("1", () -> "other")).isEqualTo("value");
  }

  @Test
  void whereNobodyKnowsOfWritesNothingIsKept() {
    ValueCache forgetful =
        new LocalCacheThat(cache) {
          @Override
          public @Nullable Long lastWrite(String key) {
            throw new CacheUnavailableException("gone", null);
          }
        };
    Guards old = Guards.within(begun(Duration.ofHours(1)), forgetful);
    assertThat(old.guard.get("1", () -> "value")).isEqualTo("value");
    assertThat(old.guard.get("1", () -> "other")).isEqualTo("other");
  }

  @Test
  void withoutATransactionNobodyAsksForWrites() {
    ValueCache forgetful =
        new LocalCacheThat(cache) {
          @Override
          public @Nullable Long lastWrite(String key) {
            throw new IllegalStateException("asked");
          }
        };
    Guards none = Guards.within(Transactions.NONE, forgetful);
    none.guard.put("1");
    assertThat(none.guard.get("1", () -> "value")).isEqualTo("value");
    assertThat(none.guard.get("1", () -> "other")).isEqualTo("value");
  }

  private static Transactions begun(Duration ago) {
    return new Transactions() {
      @Override
      public boolean register(Runnable beforeCommit, Completion afterCompletion) {
        return false;
      }

      @Override
      public @Nullable Long readsSince() {
        return System.nanoTime() - ago.toNanos();
      }
    };
  }
}
