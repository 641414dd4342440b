package io.bloomguard.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the log says once of a guard that works, and of one that is switched off. */
@ExtendWith(OutputCaptureExtension.class)
class FirstRejectionTest {

  @Test
  void theFirstRejectionOfAFilterHasALine(CapturedOutput output) {
    Wiring.application()
        .withPropertyValues(
            "bloomguard.filters.users.source.added-only=true",
            "bloomguard.filters.users.verify.first=0",
            "bloomguard.filters.orders.source.added-only=true")
        .run(
            context -> {
              BloomGuard<String> users =
                  context
                      .getBean(EntryGuards.class)
                      .guard("users", "users", ValueType.of(String.class), EntryPoint.METHOD);
              for (int i = 0; i < 100; i++) {
                users.get("secret-" + i, () -> null);
              }
              await().until(() -> !lines(output).isEmpty());
              assertThat(lines(output))
                  .singleElement()
                  .asString()
                  .contains("INFO")
                  .contains("Filter 'users' has rejected its first keys")
                  .contains("enforce")
                  .doesNotContain("secret");
            });
  }

  private static List<String> lines(CapturedOutput output) {
    return output.getAll().lines().filter(line -> line.contains("rejected its first")).toList();
  }

  @Test
  void aGuardThatIsSwitchedOffSaysSo(CapturedOutput output) {
    Wiring.application()
        .withPropertyValues("bloomguard.enabled=false")
        .run(context -> assertThat(context).hasNotFailed());
    assertThat(output.getAll().lines().filter(line -> line.contains("enabled is false")))
        .singleElement()
        .asString()
        .contains("INFO");
  }
}
