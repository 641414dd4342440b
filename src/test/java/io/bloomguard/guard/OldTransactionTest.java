package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.cache.LocalValueCache;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a load finds in a transaction that may not see the last write is for its caller alone. */
class OldTransactionTest {

  private final LocalValueCache cache = new LocalValueCache(Guards.CACHE);

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

  @Test
  void whatWasNotWrittenOfLateIsKept() {
    Guards old = Guards.within(begun(Duration.ofHours(1)), cache);
    assertThat(old.guard.get("1", () -> "value")).isEqualTo("value");
    assertThat(old.guard.get("1", () -> "other")).isEqualTo("value");
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
          public @Nullable Duration sinceWrite(String key) {
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
          public @Nullable Duration sinceWrite(String key) {
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
      public Duration age() {
        return ago;
      }
    };
  }
}
