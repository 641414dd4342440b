package io.bloomguard.guard.internal.load;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.guard.RequestShedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
    Future<?> never = threads.after(TimeUnit.HOURS.toNanos(1), () -> due.complete("called off"));
    never.cancel(false);
    threads.after(1_000, () -> due.complete(Thread.currentThread().getName()));
    assertThat(due).succeedsWithin(SOON).asString().startsWith("bloomguard-async-");
    Awaitility.await().untilAsserted(() -> assertThat(threads.pending()).isZero());
  }

  @Test
  void aTaskWithoutAThreadIsRefusedAndNeverRuns() {
    List<String> ran = new CopyOnWriteArrayList<>();
    ScarceThreads scarce = new ScarceThreads();
    try (LoadThreads few = scarce.threads(1, 1)) {
      scarce.refuse(true);
      assertThatThrownBy(() -> few.execute(() -> ran.add("refused")))
          .isInstanceOf(RequestShedException.class)
          .hasMessageContaining("No thread")
          .hasCauseInstanceOf(OutOfMemoryError.class);
      assertThatThrownBy(() -> few.waiting().execute(() -> ran.add("refused")))
          .isInstanceOf(RequestShedException.class);
      few.execute(() -> ran.add("refused"), refusal -> ran.add("told"));
      assertThat(ran).containsExactly("told");
      scarce.refuse(false);
      few.execute(() -> ran.add("run"));
      few.waiting().execute(() -> ran.add("run"));
      Awaitility.await().untilAsserted(() -> assertThat(ran).containsExactly("told", "run", "run"));
      scarce.refuse(true);
      // The thread of before is idle by and by, and needs no other.
      Awaitility.await()
          .ignoreExceptionsInstanceOf(RequestShedException.class)
          .until(
              () -> {
                few.execute(() -> ran.add("again"));
                return true;
              });
      Awaitility.await().untilAsserted(() -> assertThat(ran).hasSize(4));
    }
  }

  @Test
  void aTaskThatFailsEndsNoThread() {
    ScarceThreads scarce = new ScarceThreads();
    List<Thread> ran = new CopyOnWriteArrayList<>();
    try (LoadThreads few = scarce.threads(1, 1)) {
      CountDownLatch open = new CountDownLatch(1);
      few.waiting()
          .execute(
              () -> {
                ran.add(Thread.currentThread());
                Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {});
                Awaitility.await().until(() -> open.getCount() == 0);
                Thread.currentThread().interrupt();
                throw new IllegalStateException("of a task");
              });
      few.waiting()
          .execute(
              () -> {
                if (!Thread.currentThread().isInterrupted()) {
                  ran.add(Thread.currentThread());
                }
              });
      open.countDown();
      Awaitility.await().untilAsserted(() -> assertThat(ran).hasSize(2));
      assertThat(ran.get(1)).isSameAs(ran.get(0));
    }
  }

  @Test
  void everyTaskRunsOnceOrIsRefusedHoweverOftenStartsFail() throws Exception {
    ScarceThreads scarce = new ScarceThreads();
    AtomicInteger ended = new AtomicInteger();
    AtomicInteger expected = new AtomicInteger();
    try (LoadThreads few = scarce.threads(1, 1)) {
      scarce.refuseEverySecond();
      List<Thread> callers = new ArrayList<>();
      for (int c = 0; c < 4; c++) {
        Thread caller =
            new Thread(
                () -> {
                  for (int i = 0; i < 2_000; i++) {
                    expected.incrementAndGet();
                    few.execute(ended::incrementAndGet, refusal -> ended.incrementAndGet());
                  }
                });
        caller.start();
        callers.add(caller);
      }
      for (Thread caller : callers) {
        caller.join();
      }
      Awaitility.await().untilAsserted(() -> assertThat(ended).hasValue(expected.get()));
    }
  }

  @Test
  void aTimeoutWithoutAThreadEndsItsWaitOnTheTimers() {
    ScarceThreads scarce = new ScarceThreads();
    try (LoadThreads few = scarce.threads(1, 1)) {
      scarce.refuse(true);
      CompletableFuture<String> due = new CompletableFuture<>();
      few.after(1_000, () -> due.complete(Thread.currentThread().getName()));
      assertThat(due).succeedsWithin(SOON).asString().doesNotStartWith("bloomguard-");
      Awaitility.await().untilAsserted(() -> assertThat(few.pending()).isZero());
    }
  }

  @Test
  void aStepAndItsEndAreOnTwoThreads() {
    ScarceThreads scarce = new ScarceThreads();
    try (LoadThreads few = scarce.threads(1, 1)) {
      CompletableFuture<String> step = new CompletableFuture<>();
      CompletableFuture<String> answer =
          few.on(
              few.waiting(),
              () -> {
                step.complete(Thread.currentThread().getName());
                return new CompletableFuture<String>().completeOnTimeout("end", 20, MILLISECONDS);
              });
      CompletableFuture<String> heard = answer.thenApply(end -> Thread.currentThread().getName());
      assertThat(step).succeedsWithin(SOON).asString().startsWith("bloomguard-wait-");
      assertThat(heard).succeedsWithin(SOON).asString().startsWith("bloomguard-async-");
      assertThat(answer).isCompletedWithValue("end");
      CompletableFuture<String> failed =
          few.on(
              few.waiting(),
              () -> {
                throw new IllegalStateException("of a step");
              });
      assertThat(failed).failsWithin(SOON).withThrowableThat().withMessageContaining("of a step");
    }
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
