package io.bloomguard.guard.internal.writes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.guard.internal.load.LoadThreads;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The writes whose end was not seen. */
@ExtendWith(OutputCaptureExtension.class)
class OpenEndsTest {

  private final LoadThreads threads = new LoadThreads(1, 1);
  private final List<Integer> ended = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    threads.close();
  }

  private void add(OpenEnds ends, int from, int to) {
    for (int i = from; i < to; i++) {
      int number = i;
      ends.add(() -> ended.add(number));
    }
  }

  @Test
  void eachEndsOnAThreadThatMayWait() {
    OpenEnds ends = new OpenEnds(threads, Duration.ofMillis(1));
    ends.add(
        () -> ended.add(Thread.currentThread().getName().startsWith("bloomguard-wait-") ? 1 : 0));
    await().untilAsserted(() -> assertThat(ended).containsExactly(1));
    assertThat(ends.size()).isZero();
  }

  @Test
  void oneMoreThanTheBoundEndsTheOldest(CapturedOutput output) {
    OpenEnds ends = new OpenEnds(threads, Duration.ofHours(1));
    add(ends, 0, OpenEnds.MAX);
    assertThat(ended).isEmpty();
    add(ends, OpenEnds.MAX, OpenEnds.MAX + 3);
    await().untilAsserted(() -> assertThat(ended).containsExactly(0, 1, 2));
    assertThat(ends.size()).isEqualTo(OpenEnds.MAX);
    assertThat(output).containsOnlyOnce("were cancelled or lost before their end");
  }

  @Test
  void oneThatHasEndedEarlyIsKeptByNoTimer() {
    OpenEnds ends = new OpenEnds(threads, Duration.ofHours(1));
    WeakReference<Object> key = addOf(ends, new Object());
    add(ends, 0, OpenEnds.MAX + 3);
    await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(key.refersTo(null)).isTrue();
            });
  }

  private WeakReference<Object> addOf(OpenEnds ends, Object key) {
    ends.add(() -> ended.add(key.hashCode()));
    return new WeakReference<>(key);
  }

  /** Their statements may be under way after the process. */
  @Test
  void noneEndsBecauseTheProcessDoes() {
    OpenEnds ends = new OpenEnds(threads, Duration.ofHours(1));
    add(ends, 0, 10);
    threads.close();
    add(ends, 10, 20);
    assertThat(ended).isEmpty();
  }
}
