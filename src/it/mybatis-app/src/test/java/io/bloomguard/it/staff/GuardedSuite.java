package io.bloomguard.it.staff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The suite with the guard, once every filter has been built. */
abstract class GuardedSuite extends StaffSuite {

  @Autowired BloomGuards guards;

  @BeforeEach
  void everyFilterRejects() {
    // In Redis the first generation of a filter takes two seconds, and two are built at once.
    await()
        .atMost(1, TimeUnit.MINUTES)
        .until(() -> guards.filters().stream().allMatch(this::rejects));
  }

  /** What was disarmed would have rejected a row, and rejects nothing from then on. */
  @AfterEach
  void everyFilterStillRejects() {
    assertThat(guards.filters()).hasSize(4).allMatch(this::rejects);
  }

  @Test
  void theMethodsHaveTheModeOfThisRun() throws NoSuchMethodException {
    assertThat(
            DepartmentMapper.class
                .getMethod("findByCode", String.class)
                .getAnnotation(BloomGuarded.class)
                .caching())
        .hasToString(System.getProperty("it.caching", "auto").toUpperCase(Locale.ROOT));
  }

  private boolean rejects(String filter) {
    return guards.guard(filter).check(UUID.randomUUID()) == Membership.ABSENT;
  }
}
