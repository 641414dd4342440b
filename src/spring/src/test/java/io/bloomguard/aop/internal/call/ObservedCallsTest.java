package io.bloomguard.aop.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.annotation.Mode;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Mono;

/** Methods that ask whether a name is still free. */
@ExtendWith(OutputCaptureExtension.class)
class ObservedCallsTest {

  static class Users {

    static final AtomicInteger CALLS = new AtomicInteger();

    @BloomGuarded(filter = "products", key = "#name", mode = Mode.OBSERVE)
    public boolean isTaken(@Nullable String name) {
      CALLS.incrementAndGet();
      return true;
    }

    @BloomGuarded(filter = "products", key = "#name", mode = Mode.OBSERVE)
    public Mono<Boolean> checkNameUnique(String name) {
      CALLS.incrementAndGet();
      return Mono.just(false);
    }

    @BloomGuarded(filter = "products", key = "#names", mode = Mode.OBSERVE)
    public int countTaken(List<String> names) {
      CALLS.incrementAndGet();
      return names.size();
    }
  }

  static class Asking {

    @BloomGuarded(filter = "products", key = "#email", caching = Caching.NONE)
    public boolean existsByEmail(String email) {
      return true;
    }

    @BloomGuarded(filter = "products", key = "#name", caching = Caching.NONE)
    public @Nullable String checkUserNameUnique(String name) {
      return null;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public boolean existsById(long id) {
      return true;
    }

    @BloomGuarded(filter = "products", key = "#name", caching = Caching.NONE, mode = Mode.ENFORCE)
    public boolean existsByName(String name) {
      return true;
    }

    @BloomGuarded(filter = "products", key = "#name", caching = Caching.NONE)
    public @Nullable String findByName(String name) {
      return null;
    }
  }

  static class Keeping {

    @BloomGuarded(filter = "products", key = "#name", mode = Mode.OBSERVE, nullTtl = "10s")
    public boolean isTaken(String name) {
      return true;
    }
  }

  private final TestGuards guards = new TestGuards();

  @Test
  void anObservedMethodIsCountedAndAlwaysCalled(CapturedOutput output) {
    Users.CALLS.set(0);
    guards.keys.add("ann");
    try (var context = Guarding.context(guards, Users.class)) {
      Users users = context.getBean(Users.class);
      assertThat(users.isTaken("bob")).isTrue();
      assertThat(users.isTaken("bob")).isTrue();
      assertThat(users.isTaken("ann")).isTrue();
      assertThat(users.isTaken(null)).isTrue();
      assertThat(users.isTaken("a\nb")).as("no key").isTrue();
      assertThat(users.checkNameUnique("bob").block()).isFalse();
      assertThat(users.countTaken(List.of("bob", "ann"))).isEqualTo(2);
    }
    assertThat(Users.CALLS).hasValue(7);
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.REJECTED)).isEqualTo(4);
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.PASSED)).isEqualTo(2);
    assertThat(output).doesNotContain("still free");
  }

  @Test
  void aMethodThatMayAskForAFreeNameIsWarnedOf(CapturedOutput output) {
    try (var context = Guarding.context(guards, Asking.class)) {
      assertThat(context.getBean(Asking.class).existsByEmail("x")).isFalse();
    }
    assertThat(output.getAll().lines().filter(line -> line.contains("still free")))
        .hasSize(2)
        .anyMatch(line -> line.contains("Asking.existsByEmail") && line.contains("Mode.OBSERVE"))
        .anyMatch(line -> line.contains("Asking.checkUserNameUnique"));
  }

  @Test
  void anObservedMethodKeepsNothing() {
    assertThatThrownBy(() -> Guarding.context(guards, Keeping.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("has mode = OBSERVE, which keeps nothing");
  }
}
