package io.bloomguard.console.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.autoconfigure.AheadOfTimeTest;
import io.bloomguard.autoconfigure.Wiring;
import org.junit.jupiter.api.Test;

/** A console that is on or off otherwise than when the application was processed ahead of time. */
class ConsoleAheadOfTimeTest {

  @Test
  void aConsoleIsNotTurnedOff() {
    Wiring.webApplication()
        .withPropertyValues(
            "bloomguard.console.enabled=true", "later=bloomguard.console.enabled=false")
        .withUserConfiguration(AheadOfTimeTest.Later.class)
        .run(
            context ->
                assertThat(context)
                    .hasFailed()
                    .getFailure()
                    .hasStackTraceContaining("bloomguard.console.enabled is false, but was not"));
  }

  @Test
  void aConsoleThatIsTurnedOnIsNotBlamedOnTheClassPath() {
    AheadOfTimeTest.assertRefusedAheadOfTime(
        Wiring.application(),
        "bloomguard.console.enabled=true",
        "bloomguard.console.enabled is true, but was not when");
  }
}
