package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.guard.BloomGuard.Foresight;
import io.bloomguard.guard.verify.FilterMode;
import io.bloomguard.guard.verify.WrongRejectionPolicy;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A look ahead sends no request twice, and decides nothing but what the call would. */
class ForeseenKeyTest {

  private final KnownKeys store = new KnownKeys("42", "43");
  private final VerifiedGuards guards =
      new VerifiedGuards(store, VerifiedGuards.first(0, WrongRejectionPolicy.COUNT));
  private final BloomGuard<String> guard = guards.guard;

  @Test
  void oneRequestIsSentForAKeyThatPasses() {
    try (Trial.Scope scope = passed("42")) {
      assertThat(guard.get(42L, () -> "loaded")).isEqualTo("loaded");
      assertThat(store.checks).hasValue(1);
      assertThat(guard.get("42", () -> "again")).isEqualTo("loaded");
      assertThat(store.checks).as("the answer is taken once").hasValue(2);
    }
    assertThat(guards.count(Outcome.LOADED)).isEqualTo(1);
  }

  @Test
  void oneRequestIsSentForAnAsynchronousCall() throws Exception {
    try (Trial.Scope scope = passed("42")) {
      assertThat(
              guard
                  .getAsync("42", () -> CompletableFuture.completedFuture("loaded"))
                  .toCompletableFuture()
                  .get())
          .isEqualTo("loaded");
    }
    assertThat(store.checks).hasValue(1);
  }

  @Test
  void oneRequestIsSentInDoubt() {
    store.doubtful = true;
    try (Trial.Scope scope = passed("7")) {
      assertThat(guard.get(7, () -> "loaded")).isEqualTo("loaded");
    }
    assertThat(store.checks).hasValue(1);
    assertThat(guards.count(Outcome.BYPASSED)).isEqualTo(1);
  }

  @Test
  void anAbsentKeyIsRejectedAndRecordedOnce() {
    Foresight foresight = Objects.requireNonNull(guard.foresee("7", () -> true));
    assertThat(guards.total()).isZero();
    assertThat(foresight.reject()).isNull();
    assertThat(store.checks).hasValue(1);
    assertThat(guards.count(Outcome.REJECTED)).isEqualTo(1);
    assertThat(guards.total()).isEqualTo(1);
  }

  @Test
  void theAnswerIsForThatKeyOnThatThreadInThatScope() throws Exception {
    Trial.Scope scope = passed("42");
    try (scope) {
      assertThat(guard.check("7")).isEqualTo(Membership.ABSENT);
      CompletableFuture<Membership> elsewhere =
          CompletableFuture.supplyAsync(() -> guard.check("42"));
      assertThat(elsewhere.get()).isEqualTo(Membership.POSSIBLY_PRESENT);
      assertThat(store.checks).hasValue(3);
    }
    store.forget("42");
    assertThat(guard.check("42")).isEqualTo(Membership.ABSENT);
  }

  @Test
  void scopesNest() {
    try (Trial.Scope outer = passed("42")) {
      try (Trial.Scope inner = passed("43")) {
        assertThat(guard.check("43")).isEqualTo(Membership.POSSIBLY_PRESENT);
      }
      assertThat(guard.check("42")).isEqualTo(Membership.POSSIBLY_PRESENT);
    }
    assertThat(store.checks).hasValue(2);
  }

  @Test
  void noRequestIsSentForACallThatDoesNotFollow() {
    assertThat(guard.foresee("7", () -> false)).isNull();
    assertThat(store.checks).hasValue(0);
  }

  @Test
  void noRequestIsSentWhileTheFilterDoesNotEnforce() {
    guards.enforcement.mode(FilterMode.OBSERVE);
    assertThat(guard.foresee("7", () -> true)).isNull();
    assertThat(store.checks).hasValue(0);
  }

  @Test
  void inMemoryOnlyAnAbsentKeyAsksWhetherTheCallFollows() {
    store.inMemory = true;
    BloomGuard<String> local =
        new VerifiedGuards(store, VerifiedGuards.first(0, WrongRejectionPolicy.COUNT)).guard;
    AtomicInteger asked = new AtomicInteger();
    assertThat(local.foresee("42", () -> asked.incrementAndGet() > 0)).isNull();
    assertThat(asked).hasValue(0);
    assertThat(local.foresee("7", () -> asked.incrementAndGet() > 0)).isNotNull();
    assertThat(local.foresee("7", () -> asked.incrementAndGet() < 0)).isNull();
    assertThat(asked).hasValue(2);
  }

  @Test
  void anInvalidKeyIsRecordedByTheCallAlone() {
    assertThatThrownBy(() -> guard.foresee("a\nb", () -> true))
        .isInstanceOf(InvalidKeyException.class);
    assertThat(guards.total()).isZero();
  }

  /** The scope of the guarded call after a look at a key that passes. */
  private Trial.Scope passed(Object key) {
    @Nullable Foresight foresight = guard.foresee(key, () -> true);
    return Objects.requireNonNull(Objects.requireNonNull(foresight).reject());
  }
}
