package io.bloomguard.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Jitter stretches both limits of a value alike, so that the soft one stays the first. */
class CacheSettingsTest {

  @Test
  void aStretchedLifetimeStretchesTheTimePastTheSoftLimit() {
    CacheSettings settings = settings(Duration.ofSeconds(25));
    assertThat(settings.staleTime(Duration.ofSeconds(100))).isEqualTo(Duration.ofSeconds(75));
    assertThat(settings.staleTime(Duration.ofSeconds(120))).isEqualTo(Duration.ofSeconds(90));
    assertThat(settings(Duration.ZERO).staleTime(Duration.ofSeconds(100))).isZero();
  }

  private static CacheSettings settings(Duration softTtl) {
    return new CacheSettings(
        Duration.ofSeconds(100),
        Duration.ofSeconds(10),
        0,
        10,
        10,
        Duration.ofSeconds(30),
        softTtl);
  }
}
