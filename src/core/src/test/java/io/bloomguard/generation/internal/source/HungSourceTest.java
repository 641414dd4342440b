package io.bloomguard.generation.internal.source;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.ManualClock;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.BuildThreads;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.RebuildRefusedException;
import io.bloomguard.generation.internal.build.RebuildRefusedException.Reason;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.guard.internal.KeyTypes;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sources that hang: what they hold, and for how long. */
class HungSourceTest {

  private static final KeyHasher HASHER =
      SipHash.oneThree(HashSecret.parse("000102030405060708090a0b0c0d0e0f"));
  private static final Duration STALL = Duration.ofSeconds(60);

  private final ManualClock clock = new ManualClock();
  private final AtomicInteger looks = new AtomicInteger();
  private final SourceThreads threads =
      new SourceThreads(
          () -> {
            looks.incrementAndGet();
            return clock.nanos();
          });
  private final ExecutorService background = Executors.newCachedThreadPool();
  private final CountDownLatch released = new CountDownLatch(1);
  private final CountDownLatch reading = new CountDownLatch(1);
  private final LocalGenerations store =
      TestGenerations.local(
          "items",
          shape -> MembershipFilters.create(shape, HASHER),
          settings().shape(),
          Duration.ofMinutes(10),
          1,
          clock::nanos);

  @AfterEach
  void release() {
    released.countDown();
    background.shutdownNow();
  }

  @Test
  void aSourceThatYieldsNothingFailsTheBuildAndItsThreadIsAbandoned() throws Exception {
    ManagedFilter filter = filter(deaf(), background);
    filter.requestRebuild(RebuildTrigger.REQUEST);
    reading.await();
    assertThat(filter.progress().running()).isTrue();

    clock.pass(STALL.plusSeconds(1));
    await().until(() -> filter.lastRebuild().isPresent());

    RebuildReport report = filter.lastRebuild().orElseThrow();
    assertThat(report.outcome()).isEqualTo(RebuildOutcome.FAILED);
    assertThat(report.failure()).contains("PT1M", "bloomguard.filters.items.source.stall");
    await().until(() -> !filter.progress().running());
    assertThat(threads.abandoned()).isEqualTo(1);

    // The right to build is given back, and what the source yields after all is ignored.
    try (GenerationStore.Build build = store.beginBuild(settings().shape())) {
      build.addAll(new String[] {"present"}, 1);
      released.countDown();
      await().until(() -> threads.abandoned() == 0);
      build.publish(1);
    }
    assertThat(store.check("present")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(store.check("late")).isEqualTo(ABSENT);
  }

  @Test
  void aSlowSourceThatYieldsIsReadToItsEnd() {
    ManagedFilter filter =
        filter(
            sink -> {
              for (int key = 0; key < 5; key++) {
                clock.pass(STALL.minusSeconds(1));
                sink.accept(key);
                int before = looks.get();
                await().until(() -> looks.get() > before + 1);
              }
            },
            Runnable::run);
    filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(filter.lastSuccess().orElseThrow().keys()).isEqualTo(5);
  }

  @Test
  void aCancelIsTrueWhateverTheSourceDoes() throws Exception {
    ManagedFilter filter = filter(deaf(), background);
    filter.requestRebuild(RebuildTrigger.REQUEST);
    reading.await();

    assertThat(filter.cancelRebuild()).isTrue();
    await().until(() -> filter.lastRebuild().isPresent());
    assertThat(filter.lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.CANCELLED);
    await().until(() -> !filter.progress().running());
    assertThat(filter.cancelRebuild()).as("it has ended").isFalse();
  }

  /** Interrupts do harm: an embedded database closes its file at one. */
  @Test
  void aSourceThatCanBeCancelledIsNotInterrupted() throws Exception {
    AtomicInteger cancelled = new AtomicInteger();
    ManagedFilter filter =
        filter(
            sink -> {
              CountDownLatch ended = new CountDownLatch(1);
              sink.onCancel(
                  () -> {
                    cancelled.incrementAndGet();
                    ended.countDown();
                  });
              reading.countDown();
              ended.await();
              throw new IllegalStateException("the statement was cancelled");
            },
            background);
    filter.requestRebuild(RebuildTrigger.REQUEST);
    reading.await();

    assertThat(filter.cancelRebuild()).isTrue();
    await().until(() -> filter.lastRebuild().isPresent());
    assertThat(filter.lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.CANCELLED);
    assertThat(cancelled).hasValue(1);
    assertThat(threads.abandoned()).isZero();
  }

  @Test
  void aQueuedBuildHoldsNothingAndIsCancelled() {
    LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    ManagedFilter filter = filter(sink -> sink.accept("a"), queue::add);
    String run = filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(filter.queuedRebuild()).contains(run);
    assertThat(filter.status().state()).isEqualTo(FilterState.WARMING);
    assertThatThrownBy(() -> filter.requestRebuild(RebuildTrigger.REQUEST))
        .isInstanceOfSatisfying(
            RebuildRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.RUNNING));
    store.beginBuild(settings().shape()).close();

    assertThat(filter.cancelRebuild()).isTrue();
    assertThat(filter.queuedRebuild()).isEmpty();
    assertThat(filter.cancelRebuild()).isFalse();
    assertThat(filter.lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.CANCELLED);
    assertThat(filter.lastRebuild().orElseThrow().run()).isEqualTo(run);

    // The queue does not grow with the number of requests.
    for (int i = 0; i < 3; i++) {
      requestWithoutWaiting(filter);
      filter.cancelRebuild();
    }
    String last = requestWithoutWaiting(filter);
    assertThat(queue).hasSize(1);
    queue.remove().run();
    assertThat(filter.lastSuccess().orElseThrow().run()).isEqualTo(last);
    assertThat(store.generation()).as("no other was built").isEqualTo(1);
  }

  @Test
  void whereTooManySourcesHangNoFurtherIsRead() {
    for (int i = 0; i < SourceThreads.MOST_ABANDONED; i++) {
      threads.abandon(threads.start("test", this::hang));
    }
    ManagedFilter filter = filter(sink -> sink.accept("a"), Runnable::run);
    assertThatThrownBy(() -> filter.requestRebuild(RebuildTrigger.REQUEST))
        .isInstanceOfSatisfying(
            RebuildRefusedException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.SOURCES_HANG))
        .hasMessageContaining("8 threads hang");
    assertThat(filter.warnings()).anyMatch(warning -> warning.contains("8 threads hang"));

    released.countDown();
    await().until(() -> threads.abandoned() == 0);
    filter.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(filter.lastSuccess()).isPresent();
  }

  @Test
  void aRecentReadingThatHangsIsFollowedByTheNext() throws Exception {
    Recent source = new Recent();
    ManagedFilter filter = filter(source, background);
    filter.requestRebuild(RebuildTrigger.REQUEST);
    await().until(() -> filter.lastSuccess().isPresent());
    source.hangs = true;
    filter.maintain();
    reading.await();
    source.hangs = false;

    clock.pass(STALL.plusSeconds(1));
    await()
        .until(
            () -> {
              filter.maintain();
              return store.check("recent") == POSSIBLY_PRESENT;
            });
  }

  @Test
  void aRefillThatHangsFails() throws Exception {
    Recent source = new Recent();
    source.hangs = true;
    ManagedFilter filter = filter(source, background);
    var refill = background.submit(() -> filter.addRecent(clock.instant()));
    reading.await();
    clock.pass(Duration.ofSeconds(31));
    assertThatThrownBy(refill::get).hasRootCauseInstanceOf(KeySourceException.class);
  }

  /** As by an interrupted caller, who does not wait until a thread takes the build. */
  private static String requestWithoutWaiting(ManagedFilter filter) {
    Thread.currentThread().interrupt();
    String run = filter.requestRebuild(RebuildTrigger.SCHEDULE);
    assertThat(Thread.interrupted()).isTrue();
    return run;
  }

  private ManagedFilter filter(KeySource source, Executor executor) {
    return new ManagedFilter(
        settings(),
        store,
        source,
        new BuildThreads(executor, background, threads),
        clock,
        RebuildListener.NONE,
        new KeyTypes(),
        ManagedFilter.Pause.SLEEP);
  }

  /** Ignores that it is interrupted, and yields a key at the end. */
  private KeySource deaf() {
    return sink -> {
      reading.countDown();
      hang();
      sink.accept("late");
    };
  }

  private void hang() {
    while (true) {
      try {
        released.await();
        return;
      } catch (InterruptedException e) {
        // That is the point.
      }
    }
  }

  private static FilterSettings settings() {
    return TestGenerations.settings(
        "items",
        Layout.BLOCKED,
        1_000,
        1e-9,
        WarmUpMode.NONE,
        Duration.ZERO,
        0.6,
        new KeyRules(256));
  }

  /** Hangs when it is asked for recent keys, or has one. */
  private final class Recent implements KeySource {

    private volatile boolean hangs;

    @Override
    public void forEach(KeySink sink) {
      sink.accept("a");
    }

    @Override
    public boolean knowsRecent() {
      return true;
    }

    @Override
    public void forEachRecent(Instant since, KeySink sink) {
      if (hangs) {
        reading.countDown();
        hang();
      }
      sink.accept("recent");
    }
  }
}
