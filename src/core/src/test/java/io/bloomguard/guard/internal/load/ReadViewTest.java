package io.bloomguard.guard.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.Transactions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReadViewTest {

  /** Otherwise a write that ended meanwhile would count as one that the transaction shows. */
  @Test
  void aThreadThatIsStoppedWhileItAsksForTheAgeTakesTheBeginForNoLater() {
    long began = System.nanoTime();
    Transactions slow =
        new Transactions() {
          @Override
          public boolean register(Runnable beforeCommit, Completion afterCompletion) {
            return true;
          }

          @Override
          public Duration age() {
            Duration age = Duration.ofNanos(System.nanoTime() - began);
            long until = System.nanoTime() + 1_000_000;
            while (System.nanoTime() - until < 0) {
              Thread.onSpinWait();
            }
            return age;
          }
        };
    assertThat(ReadView.of(slow).began() - began).isNotPositive();
  }

  @Test
  void aViewLacksNoWriteThatEndedBeforeItBegan() {
    long began = System.nanoTime();
    assertThat(new ReadView(began).mayLack(began - 1)).isFalse();
    assertThat(new ReadView(began).mayLack(began)).isTrue();
  }
}
