package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.internal.Ask;
import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.Pass;
import io.bloomguard.guard.internal.decision.Unguarded;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** With the guard turned off, callers go on as if there were none. */
class UnguardedTest {

  private final EntryGuard<String> guard =
      new Unguarded().guard("products", "products", ValueType.of(String.class), EntryPoint.METHOD);

  @Test
  void everyLoadIsMade() throws Exception {
    for (String value : new String[] {"value", "other", null}) {
      assertThat(guard.get("1", () -> value)).isEqualTo(value);
      assertThat(guard.call("1", () -> value)).isEqualTo(value);
      assertThat(
              guard
                  .getAsync("1", () -> CompletableFuture.completedFuture(value))
                  .toCompletableFuture()
                  .join())
          .isEqualTo(value);
    }
    Map<String, String> rows = new HashMap<>();
    rows.put("1", "one");
    rows.put("2", null);
    rows.put("3", "not asked for");
    assertThat(guard.getAll(List.of("1", "2", "1"), keys -> rows))
        .containsExactly(Map.entry("1", "one"));
    assertThat(
            guard.getAll(
                List.of(),
                keys -> {
                  throw new IOException("asked for nothing");
                }))
        .isEmpty();
  }

  @Test
  void failuresAreTheLoadersOwn() {
    assertThatThrownBy(
            () ->
                guard.get(
                    "1",
                    () -> {
                      throw new IOException("broken");
                    }))
        .isInstanceOf(IOException.class);
    var failed =
        guard.getAsync(
            "1",
            () -> {
              throw new IllegalStateException("broken");
            });
    assertThatThrownBy(() -> failed.toCompletableFuture().join())
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void nothingIsRejectedAndNothingIsKnown() {
    assertThat(new Unguarded().filters()).isEmpty();
    assertThat(guard.filter()).isEqualTo("products");
    assertThat(guard.check("1")).isEqualTo(Membership.UNKNOWN);
    assertThat(guard.checkAll(List.of("1", "2"))).containsOnly(Membership.UNKNOWN).hasSize(2);
    assertThat(guard.admit("1")).isTrue();
    try (Pass<String> admission = guard.ask(Ask.toLoadAll(List.of("1", "2")))) {
      assertThat(admission.keys()).containsExactly("1", "2");
    }
  }

  /** What the guard would refuse reaches the application, as without it. */
  @Test
  void keysOfAnyKindPass() {
    List<Object> odd = Arrays.asList(null, "", "x".repeat(1_000), "line\nbreak", 1.5, List.of());
    for (Object key : odd) {
      assertThat(guard.<RuntimeException>get(key, () -> "row")).isEqualTo("row");
      assertThat(guard.admit(key)).isTrue();
      assertThat(guard.check(key)).isEqualTo(Membership.UNKNOWN);
      guard.evict(key);
    }
    assertThat(guard.ask(Ask.toLoadAll(odd)).keys()).isEqualTo(odd);
    assertThat(guard.askLater(Ask.toLoadAll(odd)).join().isHeld()).isFalse();
    assertThat(
            guard.<Object, RuntimeException>getAll(odd, keys -> new HashMap<>(Map.of("", "row"))))
        .containsOnlyKeys("");
    assertThat(guard.putEach(odd)).containsOnly(false).hasSize(odd.size());
  }

  @Test
  void writesGoOnAndAreAddedNowhere() {
    assertThat(guard.put("1")).isFalse();
    assertThat(guard.putAll(List.of("1", "2"))).isZero();
    try (KeyWrites.Write write = guard.writes().beginWrites(List.of("1"), List.of())) {
      write.renew();
    }
    guard.evict("1");
    assertThat(guard.check("1")).isEqualTo(Membership.UNKNOWN);
  }
}
