package io.bloomguard.guard.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadViewTest {

  @Test
  void aViewLacksNoWriteThatEndedBeforeItBegan() {
    long began = System.nanoTime();
    assertThat(new ReadView(began).mayLack(began - 1)).isFalse();
    assertThat(new ReadView(began).mayLack(began)).isTrue();
  }
}
