package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.BuildThreads;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.generation.internal.source.SourceThreads;
import io.bloomguard.guard.internal.KeyTypes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One process' source hangs: what the others, and its own other filters, notice of that. In real
 * time: that another process asks to cancel, and that a doubt ends, is seen once a second.
 */
@Tag("waits")
class HungSourcesTest extends RedisTestBase {

  private static final Limits LIMITS =
      Limits.USUAL.withLifetime(Duration.ofSeconds(5)).withGrace(Duration.ofSeconds(1));

  private final AtomicLong passed = new AtomicLong();
  private ExecutorService builders;
  private ExecutorService readers;
  private CountDownLatch released;

  @BeforeEach
  void begin() {
    builders = Executors.newFixedThreadPool(2);
    readers = Executors.newCachedThreadPool();
    released = new CountDownLatch(1);
    first.awaitConnected(Duration.ofSeconds(20));
    second.awaitConnected(Duration.ofSeconds(20));
  }

  @AfterEach
  void end() {
    released.countDown();
    builders.shutdownNow();
    readers.shutdownNow();
  }

  @Test
  void aBuildThatWaitsForAThreadDoesNotKeepOthersFromBuilding() throws Exception {
    CountDownLatch reading = new CountDownLatch(2);
    KeySource hung =
        sink -> {
          reading.countDown();
          hang();
        };
    for (int i = 0; i < 2; i++) {
      name();
      filter(store(first), hung).requestRebuild(RebuildTrigger.REQUEST);
    }
    assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();

    name();
    ManagedFilter waiting = filter(store(first), sink -> sink.accept("here"));
    String run = waiting.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(waiting.queuedRebuild()).contains(run);
    assertThat(redis.commands().exists(key("lock"))).isZero();

    ManagedFilter there = filter(store(second), sink -> sink.accept("there"), readers);
    there.requestRebuild(RebuildTrigger.SCHEDULE);
    await().until(() -> there.lastSuccess().isPresent());
    assertThat(store(second).check("there")).isEqualTo(POSSIBLY_PRESENT);

    passed.addAndGet(Duration.ofSeconds(61).toNanos());
    await().until(() -> waiting.lastRebuild().isPresent());
    assertThat(waiting.lastSuccess().orElseThrow().run()).isEqualTo(run);
  }

  @Test
  void aHungBuildGivesItsLockBack() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    ManagedFilter here =
        filter(
            store(first),
            sink -> {
              reading.countDown();
              hang();
            });
    here.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(redis.commands().exists(key("lock"))).isOne();

    ManagedFilter there = filter(store(second), sink -> sink.accept("there"));
    assertThat(there.cancelRebuildAnywhere()).isTrue();
    await().until(() -> redis.commands().exists(key("lock")) == 0);
    there.requestRebuild(RebuildTrigger.SCHEDULE);
    await().until(() -> there.lastSuccess().isPresent());
  }

  @Test
  void aRefillThatHangsFailsAndTheFilterIsBuilt() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    SchemeStore a = store(settings(first, SHAPE), LIMITS);
    ManagedFilter here =
        filter(
            a,
            new KeySource() {
              @Override
              public void forEach(KeySink sink) {
                sink.accept("s1");
              }

              @Override
              public boolean knowsRecent() {
                return true;
              }

              @Override
              public void forEachRecent(Instant since, KeySink sink) {
                if (hangs.get()) {
                  asked.countDown();
                  hang();
                }
              }
            });
    SchemeStore b = store(settings(second, SHAPE), LIMITS);
    build(a, SHAPE, List.of("s1"));
    a.maintain();
    b.maintain();
    a.addAll(List.of("added"));
    assertThat(b.check("x")).isEqualTo(ABSENT);

    hangs.set(true);
    redis.commands().del(key("journal"));
    await()
        .until(
            () -> {
              a.maintain();
              b.maintain();
              return asked.getCount() == 0;
            });
    assertThat(b.check("x")).isEqualTo(UNKNOWN);
    assertThat(redis.commands().hexists(key("head"), "rebuild".getBytes(UTF_8))).isFalse();

    passed.addAndGet(Duration.ofSeconds(31).toNanos());
    await()
        .atMost(Duration.ofSeconds(40))
        .until(
            () -> {
              a.maintain();
              b.maintain();
              return b.status().state() == FilterState.DOUBTFUL && !b.status().isSettling();
            });
    here.requestRebuild(RebuildTrigger.REQUEST);
    await()
        .atMost(Duration.ofSeconds(40))
        .until(
            () -> {
              a.maintain();
              b.maintain();
              return b.status().state() == FilterState.READY && b.check("x") == ABSENT;
            });
    assertThat(b.checkAll(List.of("s1", "added"))).containsOnly(POSSIBLY_PRESENT);
  }

  private ManagedFilter filter(SchemeStore store, KeySource source) {
    return filter(store, source, builders);
  }

  private ManagedFilter filter(SchemeStore store, KeySource source, ExecutorService builders) {
    return new ManagedFilter(
        TestGenerations.settings(
            filter,
            Layout.BLOCKED,
            20_000,
            1e-9,
            WarmUpMode.NONE,
            Duration.ZERO,
            0.6,
            new KeyRules(256)),
        store,
        source,
        new BuildThreads(
            builders, readers, new SourceThreads(() -> System.nanoTime() + passed.get())),
        InstantSource.system(),
        RebuildListener.NONE,
        new KeyTypes(),
        ManagedFilter.Pause.SLEEP);
  }

  /** Whatever is done to it. */
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
}
