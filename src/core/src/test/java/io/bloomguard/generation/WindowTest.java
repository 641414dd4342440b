package io.bloomguard.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WindowTest {

  private static final Window HOUR = new Window(Duration.ofMinutes(10), 6);

  @Test
  void aKeyIsRememberedForTheWindowAtMostAndOneGenerationLessAtLeast() {
    assertThat(HOUR.span()).isEqualTo(Duration.ofHours(1));
    assertThat(HOUR.least()).isEqualTo(Duration.ofMinutes(50));
  }

  @Test
  void falsePositivesOfAWindowAreThoseOfItsGenerations() {
    double one = HOUR.ofGeneration(0.001);
    assertThat(one).isCloseTo(0.001 / 6, within(1e-7));
    assertThat(Window.ofWindow(one, one, one, one, one, one)).isCloseTo(0.001, within(1e-15));
    assertThat(Window.ofWindow(0.5, 0.5, 0)).isCloseTo(0.75, within(1e-12));
    assertThat(Window.ofWindow()).isZero();
    assertThat(Window.ofWindow(1, 0.1)).isEqualTo(1);
  }

  @Test
  void oneGenerationIsNoWindow() {
    assertThatThrownBy(() -> new Window(Duration.ofMinutes(10), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 2");
    assertThatThrownBy(() -> new Window(Duration.ZERO, 6))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("millisecond");
  }
}
