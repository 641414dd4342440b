package io.bloomguard.guard.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.load.LoadThreads.Timeout;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoadThreadsTest {

  private static final int PLACES = 3;
  private static final Duration SOON = Duration.ofMinutes(1);

  private final LoadThreads threads = new LoadThreads(PLACES, 2);

  @AfterEach
  void stop() {
    threads.close();
  }

  @Test
  void thereAreTwoMoreThanPlaces() {
    Set<Thread> used = ConcurrentHashMap.newKeySet();
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i < 100; i++) {
      threads.execute(
          () -> {
            used.add(Thread.currentThread());
            try {
              end.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
    Awaitility.await().untilAsserted(() -> assertThat(used).hasSize(PLACES + 2));
    assertThat(used)
        .allSatisfy(
            thread -> {
              assertThat(thread.getName()).startsWith("bloomguard-async-");
              assertThat(thread.isDaemon()).isTrue();
            });
    end.countDown();
  }

  @Test
  void callsAreCountedUntilTheyEnd() {
    assertThat(threads.tryBegin()).isTrue();
    assertThat(threads.tryBegin()).isTrue();
    assertThat(threads.tryBegin()).isFalse();
    threads.end();
    assertThat(threads.tryBegin()).isTrue();
    assertThat(threads.calls()).isEqualTo(2);
  }

  @Test
  void whatIsDueRunsAndWhatIsCalledOffIsForgotten() {
    CompletableFuture<String> due = new CompletableFuture<>();
    Timeout never = threads.after(TimeUnit.HOURS.toNanos(1), () -> due.complete("called off"));
    never.cancel();
    threads.after(1_000, () -> due.complete(Thread.currentThread().getName()));
    assertThat(due).succeedsWithin(SOON).asString().startsWith("bloomguard-async-");
    Awaitility.await().untilAsserted(() -> assertThat(threads.pending()).isZero());
  }

  @Test
  void closedItEndsAllWaitsAndRunsWhatIsLeftWhereItIs() {
    CompletableFuture<String> waiting = new CompletableFuture<>();
    threads.after(TimeUnit.HOURS.toNanos(1), () -> waiting.complete("ended"));
    threads.close();
    assertThat(waiting).isCompletedWithValue("ended");
    CompletableFuture<Thread> late = new CompletableFuture<>();
    threads.after(TimeUnit.HOURS.toNanos(1), () -> late.complete(Thread.currentThread()));
    assertThat(late).isCompletedWithValue(Thread.currentThread());
  }
}
