package io.bloomguard.redis.internal.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the head has of a build's process. */
class BuildOriginTest {

  private static final BuildOrigin ORIGIN =
      new BuildOrigin("0f1e", "blocked", 20_000, 0.001, Duration.ofMinutes(10));

  @Test
  void itIsReadAsItWasWritten() {
    assertThat(BuildOrigin.parse(ORIGIN.text("7"), "7")).isEqualTo(ORIGIN);
    assertThat(BuildOrigin.parse(ORIGIN.text("7"), "8")).as("of another image").isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"7", "7|", "7|a|b|c", "7||blocked|many|0.1|PT1M", "7||blocked|1|0.1|10 minutes"})
  void whatCannotBeReadIsNone(String text) {
    assertThat(BuildOrigin.parse(text, "7")).isNull();
  }
}
