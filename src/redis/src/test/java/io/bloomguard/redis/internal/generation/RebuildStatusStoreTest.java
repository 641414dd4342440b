package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore.Build;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.RebuildRefusedException;
import io.bloomguard.generation.internal.build.RebuildRefusedException.Reason;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two processes with one filter: what either of them sees and does of the other's builds. */
class RebuildStatusStoreTest extends RedisTestBase {

  private static final Duration COOLDOWN = Duration.ofMinutes(1);

  private ExecutorService background;
  private Gate gate;

  @BeforeEach
  void begin() {
    background = Executors.newCachedThreadPool();
    gate = new Gate();
  }

  @AfterEach
  void end() {
    gate.open();
    background.shutdownNow();
  }

  /** In real time: a build writes once a second how far it is. */
  @Tag("waits")
  @Test
  void everyProcessSeesHowFarTheBuildOfOneIs() throws Exception {
    ManagedFilter here = filter(first, gate);
    ManagedFilter there = filter(second, gate);
    assertThat(there.rebuilds()).isEqualTo(RebuildStatus.NONE);

    String run = here.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(there.rebuilds().running().run()).as("from the lock on").isEqualTo(run);
    gate.awaitReading();
    await()
        .untilAsserted(
            () -> {
              RebuildProgress seen = there.rebuilds().running();
              assertThat(seen.scanned()).isEqualTo(Gate.BEFORE);
              assertThat(seen.total()).isEqualTo(Gate.TOTAL);
              assertThat(seen.ratePerSecond()).isPositive();
              assertThat(seen.etaSeconds()).isPositive();
            });
    assertThat(there.progress().running()).as("in its own process").isFalse();

    gate.open();
    await().until(() -> here.rebuilds().last() != null && !here.progress().running());
    RebuildReport report = here.lastRebuild().orElseThrow();
    assertThat(report.run()).isEqualTo(run);
    assertThat(there.rebuilds()).isEqualTo(new RebuildStatus(RebuildProgress.NONE, report, report));
    assertThat(here.rebuilds()).isEqualTo(there.rebuilds());
    assertThat(report.keys()).isEqualTo(Gate.TOTAL);
  }

  @Test
  void aProcessThatStartsLaterKnowsTheLastBuildsOfTheOthers() {
    ManagedFilter here = filter(first, sink -> sink.accept("row"));
    here.requestRebuild(RebuildTrigger.SCHEDULE);
    await().until(() -> here.lastSuccess().isPresent());
    ManagedFilter failing = filter(second, sink -> fail("no database"));
    failing.requestRebuild(RebuildTrigger.SCHEDULE);
    await().until(() -> failing.lastRebuild().isPresent());

    RebuildStatus later = filter(second, gate).rebuilds();
    assertThat(later.last()).isEqualTo(failing.lastRebuild().orElseThrow());
    assertThat(later.last().outcome()).isEqualTo(RebuildOutcome.FAILED);
    assertThat(later.last().failure()).isEqualTo("java.lang.IllegalStateException");
    assertThat(later.lastSuccess()).isEqualTo(here.lastSuccess().orElseThrow());
    assertThat(here.rebuilds().last()).isEqualTo(later.last());
  }

  @Test
  void everyProcessSaysThatTheFirstBuildOfAnotherFailed() {
    ManagedFilter here = filter(first, sink -> fail("no database"));
    ManagedFilter there = filter(second, gate);
    assertThat(there.status().state()).isEqualTo(FilterState.EMPTY);
    here.requestRebuild(RebuildTrigger.REQUEST);
    await().until(() -> here.lastRebuild().isPresent());
    assertThat(here.status().state()).isEqualTo(FilterState.FAILED);
    assertThat(there.status().state()).isEqualTo(FilterState.FAILED);
  }

  @Test
  void anyProcessCancelsTheBuildOfAnother() throws Exception {
    SchemeStore store = store(first);
    build(store, SHAPE, numbers(0, 10));
    AtomicInteger next = new AtomicInteger();
    ManagedFilter here = filter(first, endless(next));
    ManagedFilter there = filter(second, gate);
    assertThat(there.cancelRebuildAnywhere()).as("none runs").isFalse();

    here.requestRebuild(RebuildTrigger.REQUEST);
    await().until(() -> next.get() > 0);
    assertThat(there.cancelRebuild()).as("none of its own").isFalse();
    assertThat(there.cancelRebuildAnywhere()).isTrue();

    await().atMost(Duration.ofSeconds(10)).until(() -> here.lastRebuild().isPresent());
    assertThat(here.lastRebuild().orElseThrow().outcome()).isEqualTo(RebuildOutcome.CANCELLED);
    assertThat(there.rebuilds().last()).isEqualTo(here.lastRebuild().orElseThrow());
    assertThat(there.rebuilds().running().running()).isFalse();
    assertThat(there.cancelRebuildAnywhere()).as("it has ended").isFalse();
    assertThat(there.status().generation()).isEqualTo(1);
    assertThat(images()).hasSize(1);

    // A cancellation is of one run: the next build is not stopped by it.
    there.requestRebuild(RebuildTrigger.SCHEDULE);
    gate.awaitReading();
    gate.open();
    await().until(() -> there.lastSuccess().isPresent());
    assertThat(there.status().generation()).isEqualTo(2);
  }

  /** In real time: a build looks once a second whether it is cancelled. */
  @Tag("waits")
  @Test
  void whoIsCancelledAfterItsLastKeyPublishesNothing() {
    SchemeStore store = store(first);
    build(store, SHAPE, numbers(0, 10));
    try (Build build = store.beginBuild(SHAPE)) {
      Running running = new Running(build.run());
      build.announce(running);
      assertThat(store(second).rebuildStatus().cancel()).isTrue();
      await().until(running::cancelled);
      assertThatThrownBy(build::publish).isInstanceOf(CancellationException.class);
    }
    assertThat(store.status().generation()).isEqualTo(1);
    assertThat(images()).hasSize(1);
  }

  @Test
  void aCancellationBeforeTheBuildIsAnnouncedIsHeard() {
    try (Build build = store(first).beginBuild(SHAPE)) {
      assertThat(store(second).rebuildStatus().cancel()).isTrue();
      Running running = new Running(build.run());
      build.announce(running);
      await().until(running::cancelled);
    }
  }

  @Test
  void thatOneRunsIsSaidBeforeTheCooldown() throws Exception {
    ManagedFilter here = filter(first, gate);
    ManagedFilter there = filter(second, sink -> sink.accept("row"));
    here.requestRebuild(RebuildTrigger.REQUEST);
    gate.awaitReading();
    assertThat(store(second).cooldown()).isPositive();
    for (ManagedFilter each : new ManagedFilter[] {here, there}) {
      assertThatThrownBy(() -> each.requestRebuild(RebuildTrigger.REQUEST))
          .isInstanceOfSatisfying(
              RebuildRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.RUNNING));
    }

    gate.open();
    await().until(() -> here.lastSuccess().isPresent() && !here.progress().running());
    for (ManagedFilter each : new ManagedFilter[] {here, there}) {
      assertThatThrownBy(() -> each.requestRebuild(RebuildTrigger.REQUEST))
          .isInstanceOfSatisfying(
              RebuildRefusedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.COOLDOWN));
    }
  }

  /** The lock is the truth: what a dead builder told last is not believed beyond it. */
  @Test
  void nothingRunsOnceTheLockOfADeadBuilderHasEnded() {
    SchemeStore dead = store(first);
    SchemeStore there = store(second);
    try (Build build = dead.beginBuild(SHAPE)) {
      build.announce(new Running(build.run()));
      await().until(() -> there.rebuildStatus().read().running().scanned() == Running.SCANNED);
      redis.commands().del(key("lock"));
      assertThat(there.rebuildStatus().read().running()).isEqualTo(RebuildProgress.NONE);
      assertThat(there.rebuildStatus().cancel()).isFalse();

      try (Build next = there.beginBuild(SHAPE)) {
        RebuildProgress seen = dead.rebuildStatus().read().running();
        assertThat(seen).isEqualTo(RebuildProgress.of(next.run(), 0, null, 0));
      }
    }
  }

  @Test
  void aLateBuilderCoversNothingOfALaterBuild() {
    SchemeStore late = store(first);
    SchemeStore next = store(second);
    Build paused = late.beginBuild(SHAPE);
    redis.commands().del(key("lock"));
    Build build = next.beginBuild(SHAPE);
    RebuildReport good = report(build.run(), RebuildOutcome.SUCCEEDED);
    build.announce(new Running(build.run()));
    await().until(() -> late.rebuildStatus().read().running().scanned() == Running.SCANNED);

    paused.announce(new Running(paused.run(), 99));
    paused.close();
    paused.ended(report(paused.run(), RebuildOutcome.FAILED));
    assertThat(next.rebuildStatus().read().running().scanned()).isEqualTo(Running.SCANNED);
    build.publish();
    build.ended(good);
    paused.ended(report(paused.run(), RebuildOutcome.SUCCEEDED));
    assertThat(late.rebuildStatus().read())
        .isEqualTo(new RebuildStatus(RebuildProgress.NONE, good, good));
  }

  @Test
  void aFailureMayHaveTabsLinesAndAnyLetter() {
    SchemeStore store = store(first);
    Build build = store.beginBuild(SHAPE);
    build.close();
    String failure = "a\tb\n\u00e4 \u20ac";
    Instant start = Instant.parse("2020-01-01T00:00:00.123456789Z");
    RebuildReport report =
        new RebuildReport(
            build.run(),
            start,
            start.plusSeconds(3),
            7,
            RebuildOutcome.FAILED,
            RebuildTrigger.FILL,
            failure);
    build.ended(report);
    assertThat(store(second).rebuildStatus().read().last()).isEqualTo(report);
  }

  @Test
  void aBoardThatWasLostOrDamagedIsWrittenAnew() {
    SchemeStore here = store(first);
    SchemeStore there = store(second);
    redis
        .commands()
        .hset(key("facts"), "builds".getBytes(UTF_8), "1||no such line".getBytes(UTF_8));
    assertThat(there.rebuildStatus().read()).isEqualTo(RebuildStatus.NONE);
    try (Build build = here.beginBuild(SHAPE)) {
      redis.commands().set(key("facts"), key("facts"));
      assertThat(there.rebuildStatus().read().running().run()).isEqualTo(build.run());
      build.announce(new Running(build.run()));
      await().until(() -> there.rebuildStatus().read().running().scanned() == Running.SCANNED);
      redis.commands().set(key("facts"), key("facts"));
      assertThat(there.rebuildStatus().cancel()).isTrue();
    }
  }

  @Test
  void whatEndsWhileRedisIsAwayIsToldWhenItIsBack() throws Exception {
    try (EmbeddedRedis other = new EmbeddedRedis()) {
      RedisConnections connections = other.connections();
      SchemeStore here = store(connections);
      SchemeStore there = store(other.connections());
      Build build = here.beginBuild(SHAPE);
      RebuildReport good = report(build.run(), RebuildOutcome.SUCCEEDED);
      build.publish();
      build.ended(good);
      assertThat(there.rebuildStatus().read().last()).isEqualTo(good);

      Build second = here.beginBuild(SHAPE);
      RebuildReport failed = report(second.run(), RebuildOutcome.FAILED);
      other.stop();
      second.close();
      second.ended(failed);
      assertThat(there.rebuildStatus().read())
          .as("as last read")
          .isEqualTo(new RebuildStatus(RebuildProgress.NONE, good, good));
      assertThat(here.rebuildStatus().read().last()).isEqualTo(failed);
      assertThatThrownBy(() -> there.rebuildStatus().cancel())
          .isInstanceOf(StoreUnavailableException.class);

      other.restart();
      await()
          .untilAsserted(
              () -> {
                here.maintain();
                assertThat(there.rebuildStatus().read().last()).isEqualTo(failed);
              });
    }
  }

  @Test
  void aSourceThatFailsHalfWayLeavesTheOldGenerationServing() {
    SchemeStore store = store(first);
    build(store, SHAPE, numbers(0, 100));
    ManagedFilter here =
        filter(
            first,
            sink -> {
              for (int i = 1_000; i < 6_000; i++) {
                sink.accept(Integer.toString(i));
              }
              fail("the connection was reset");
            });
    here.requestRebuild(RebuildTrigger.REQUEST);
    await().until(() -> here.lastRebuild().isPresent());

    SchemeStore there = store(second);
    assertThat(there.rebuildStatus().read().last().outcome()).isEqualTo(RebuildOutcome.FAILED);
    assertThat(there.status().generation()).isEqualTo(1);
    assertThat(there.checkAll(numbers(0, 100))).containsOnly(POSSIBLY_PRESENT);
    assertThat(there.check("1000")).isEqualTo(ABSENT);
    assertThat(images()).hasSize(1);
    assertThat(redis.commands().exists(key("lock"))).isZero();
    there.addAll(numbers(200, 210));
    assertThat(here.store().checkAll(numbers(200, 210))).containsOnly(POSSIBLY_PRESENT);
    build(there, SHAPE, numbers(0, 100));
    assertThat(here.status().generation()).isEqualTo(2);
  }

  private ManagedFilter filter(RedisConnections connections, KeySource source) {
    return TestGenerations.managed(
        settings(),
        store(connections),
        source,
        background,
        InstantSource.system(),
        RebuildListener.NONE);
  }

  private FilterSettings settings() {
    return TestGenerations.settings(
        filter, Layout.BLOCKED, 20_000, 1e-9, WarmUpMode.NONE, COOLDOWN, 0.6, new KeyRules(64));
  }

  private static KeySource endless(AtomicInteger next) {
    return sink -> {
      while (true) {
        sink.accept((long) next.incrementAndGet() % 10_000);
      }
    };
  }

  private static void fail(String why) {
    throw new IllegalStateException(why);
  }

  private static RebuildReport report(String run, RebuildOutcome outcome) {
    Instant start = Instant.ofEpochSecond(1_000);
    return new RebuildReport(
        run, start, start.plusSeconds(1), 1, outcome, RebuildTrigger.REQUEST, null);
  }

  /** A build that does nothing but stand at a number of keys. */
  private static final class Running implements RunningBuild {

    static final long SCANNED = 17;

    private final String run;
    private final long scanned;
    private volatile boolean cancelled;

    Running(String run) {
      this(run, SCANNED);
    }

    Running(String run, long scanned) {
      this.run = run;
      this.scanned = scanned;
    }

    @Override
    public RebuildProgress progress() {
      return RebuildProgress.of(run, scanned, null, 1);
    }

    @Override
    public void cancel() {
      cancelled = true;
    }

    @Override
    public boolean cancelled() {
      return cancelled;
    }
  }

  /** A source that waits in its midst. */
  private static final class Gate implements KeySource {

    static final long BEFORE = 2_000;
    static final long TOTAL = 5_000;

    private final CountDownLatch reading = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    @Override
    public void forEach(KeySink sink) throws Exception {
      for (long key = 0; key < TOTAL; key++) {
        if (key == BEFORE) {
          reading.countDown();
          opened.await();
        }
        sink.accept(key);
      }
    }

    @Override
    public OptionalLong count() {
      return OptionalLong.of(TOTAL);
    }

    void awaitReading() throws InterruptedException {
      assertThat(reading.await(1, TimeUnit.MINUTES)).isTrue();
    }

    void open() {
      opened.countDown();
    }
  }
}
