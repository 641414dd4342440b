package io.bloomguard.redis.internal.partition;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.generation.SchemeStore;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that share commands: each caller gets its own key's answer, whatever happens between. */
class CheckBatcherTest extends RedisTestBase {

  private static final int CALLERS = 32;

  /** Of each caller that does not wait. */
  private static final int UNDER_WAY = 8;

  private static final int PRESENT = 2_000;

  /** Longer than the test may take. */
  private static final Duration FOREVER = Duration.ofMinutes(5);

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void everyCallerGetsTheAnswerOfItsOwnKey(int blockWords) throws Exception {
    FilterShape shape = Sizing.blocked(20_000, 1e-6, blockWords);
    SchemeStore store = store(first, shape);
    build(store, shape, numbers(0, PRESENT));
    redis.commands().configResetstat();

    Crowd crowd = new Crowd(store, 500);
    crowd.finish();

    assertThat(crowd.unknown.get()).isZero();
    assertThat(crowd.answered.get()).isEqualTo(CALLERS * 500);
    assertThat(commands()).isBetween(CALLERS * 500 / 128L, CALLERS * 500 * 3 / 4L);
  }

  @Test
  void aLoneCallerSharesWithNobody() {
    SchemeStore store = store(first);
    build(store, SHAPE, numbers(0, PRESENT));
    assertThat(store.check("0")).isEqualTo(POSSIBLY_PRESENT);
    redis.commands().configResetstat();

    for (int key = 0; key < 100; key++) {
      assertThat(store.check(Long.toString(key))).isEqualTo(POSSIBLY_PRESENT);
    }

    assertThat(commands()).isEqualTo(100);
  }

  @Test
  void generationsMaySwapUnderACrowd() throws Exception {
    SchemeStore store = store(first);
    SchemeStore builder = store(second);
    List<String> keys = numbers(0, PRESENT);
    build(builder, SHAPE, keys);
    assertThat(store.check("0")).isEqualTo(POSSIBLY_PRESENT);

    Crowd crowd = new Crowd(store, Integer.MAX_VALUE);
    for (int swap = 0; swap < 30; swap++) {
      long before = crowd.answered.get();
      build(builder, SHAPE, keys);
      // What is under way at a swap may be unknown: the crowd goes on between two of them.
      await().until(() -> crowd.answered.get() > before + 20 * CALLERS);
    }
    crowd.finish();

    assertThat(crowd.answered.get()).isPositive();
    assertThat(crowd.unknown.get()).isLessThan(crowd.answered.get() / 10);
  }

  @Test
  void connectionsMayBeKilledUnderACrowd() throws Exception {
    RedisConnections brief = redis.connections(Duration.ofMillis(500));
    SchemeStore store = store(brief);
    build(store, SHAPE, numbers(0, PRESENT));
    assertThat(store.check("0")).isEqualTo(POSSIBLY_PRESENT);

    Crowd crowd = new Crowd(store, Integer.MAX_VALUE);
    for (int kill = 0; kill < 10; kill++) {
      long before = crowd.answered.get();
      redis.commands().clientKill(KillArgs.Builder.skipme());
      await().until(() -> crowd.answered.get() > before + 100);
    }
    crowd.finish();

    await().until(() -> store.check("7") == POSSIBLY_PRESENT);
  }

  @Test
  void aCommandThatIsNotAnsweredInTimeIsUnknownToItsCallersAlone() throws Exception {
    SchemeStore store = store(redis.connections(Duration.ofMillis(200)));
    build(store, SHAPE, numbers(0, PRESENT));
    assertThat(store.check("0")).isEqualTo(POSSIBLY_PRESENT);

    Crowd crowd = new Crowd(store, Integer.MAX_VALUE);
    for (int stall = 0; stall < 3; stall++) {
      long answered = crowd.answered.get();
      long unknown = crowd.unknown.get();
      await().until(() -> crowd.answered.get() > answered);
      stall(600);
      await().until(() -> crowd.unknown.get() >= unknown + CALLERS);
    }
    long answered = crowd.answered.get();
    await().until(() -> crowd.answered.get() > answered + 1_000);
    crowd.finish();
  }

  @Test
  void aLoneCallerThatDoesNotWaitSharesWithNobody() throws Exception {
    SchemeStore store = store(first);
    build(store, SHAPE, numbers(0, PRESENT));
    assertThat(store.check("0")).isEqualTo(POSSIBLY_PRESENT);
    redis.commands().configResetstat();

    for (int key = 0; key < 100; key++) {
      assertThat(store.checkAsync(List.of(Integer.toString(key)), Runnable::run).get())
          .containsExactly(POSSIBLY_PRESENT);
    }

    assertThat(commands()).isEqualTo(100);
  }

  @Test
  void checksOfBothKindsShareCommandsUpToTheirRoom() throws Exception {
    CheckBatcher checks = checks(redis.connections(FOREVER), 4096);
    assertThat(checks.check(0)).isEqualTo(ABSENT);
    redis.commands().configResetstat();
    List<CompletableFuture<Membership>> later = new ArrayList<>();
    CompletableFuture<Membership> waiting;
    try (EmbeddedRedis.Halt halt = redis.halt()) {
      for (int hash = 0; hash < 300; hash++) {
        later.add(checks.checkAsync(hash, Runnable::run));
      }
      waiting = CompletableFuture.supplyAsync(() -> checks.check(300));
      assertThat(later).noneMatch(CompletableFuture::isDone);
    }
    for (CompletableFuture<Membership> each : later) {
      assertThat(each.get()).isEqualTo(ABSENT);
    }
    assertThat(waiting.get()).isEqualTo(ABSENT);
    // One alone, 128 and 128, and the rest: that of the thread may come after it.
    assertThat(commands()).isBetween(4L, 5L);
  }

  @Test
  void aCheckThatCannotWaitIsUnknownAtOnceWhileTooManyDo() throws Exception {
    CheckBatcher checks = checks(redis.connections(FOREVER), 3);
    assertThat(checks.check(0)).isEqualTo(ABSENT);
    List<CompletableFuture<Membership>> later = new ArrayList<>();
    try (EmbeddedRedis.Halt halt = redis.halt()) {
      for (int hash = 0; hash < 6; hash++) {
        later.add(checks.checkAsync(hash, Runnable::run));
      }
      // One is under way, three wait.
      assertThat(later.subList(0, 4)).noneMatch(CompletableFuture::isDone);
      assertThat(later.subList(4, 6)).allMatch(check -> check.getNow(ABSENT) == UNKNOWN);
    }
    for (CompletableFuture<Membership> each : later.subList(0, 4)) {
      assertThat(each.get()).isEqualTo(ABSENT);
    }
    assertThat(checks.checkAsync(6, Runnable::run).get()).isEqualTo(ABSENT);
  }

  /**
   * No thread waits for it that could send it. In real time: Redis stands still until a command is
   * late.
   */
  @Tag("waits")
  @Test
  void aCheckLeavesByItselfBehindALateCommand() throws Exception {
    CheckBatcher checks = checks(redis.connections(Duration.ofSeconds(2)), 4096);
    assertThat(checks.check(0)).isEqualTo(ABSENT);
    redis.commands().configResetstat();
    try (EmbeddedRedis.Halt halt = redis.halt()) {
      CompletableFuture<Membership> sent = checks.checkAsync(1, Runnable::run);
      CompletableFuture<Membership> queued = checks.checkAsync(2, Runnable::run);
      assertThat(sent.get()).isEqualTo(UNKNOWN);
      assertThat(queued.get()).isEqualTo(UNKNOWN);
    }
    await().until(() -> commands() == 2);
    assertThat(checks.checkAsync(3, Runnable::run).get()).isEqualTo(ABSENT);
  }

  /** In real time: the breaker opens once commands were late, and looks again after a pause. */
  @Tag("waits")
  @Test
  void aBreakerThatOpensTurnsLaterChecksAway() throws Exception {
    RedisConnections brief = redis.connections(Duration.ofMillis(200));
    CheckBatcher checks = checks(brief, 4096);
    assertThat(checks.check(0)).isEqualTo(ABSENT);
    try (EmbeddedRedis.Halt halt = redis.halt()) {
      for (int hash = 0; !brief.requests().breaker().isOpen(); hash++) {
        assertThat(checks.checkAsync(hash, Runnable::run).get()).isEqualTo(UNKNOWN);
      }
    }
    await().until(() -> checks.checkAsync(1, Runnable::run).get() == ABSENT);
    assertThat(brief.requests().breaker().isOpen()).isFalse();
  }

  /** Redis stands still: some commands leave, the last of them late, and then the queue is full. */
  @Test
  void whoComesWhileTooManyWaitIsUnknownAtOnce() throws Exception {
    CheckBatcher checks = checks(first, 3);
    CountDownLatch together = new CountDownLatch(CALLERS);
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    List<Membership> answers = new ArrayList<>();
    try {
      CompletionService<Membership> callers = new ExecutorCompletionService<>(threads);
      try (EmbeddedRedis.Halt halt = redis.halt()) {
        for (int caller = 0; caller < CALLERS; caller++) {
          callers.submit(
              () -> {
                together.countDown();
                together.await();
                return checks.check(42);
              });
        }
        answers.add(callers.take().get());
      }
      while (answers.size() < CALLERS) {
        answers.add(callers.take().get());
      }
      assertThat(answers).containsOnly(UNKNOWN, ABSENT).startsWith(UNKNOWN).endsWith(ABSENT);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void anInterruptedCallerDoesNotWait() {
    SchemeStore store = store(first);
    build(store, SHAPE, numbers(0, PRESENT));
    assertThat(store.check("0")).isEqualTo(POSSIBLY_PRESENT);
    stall(1_000);
    Thread.currentThread().interrupt();

    assertThat(store.check("1")).isEqualTo(UNKNOWN);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.check("1")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** The batcher of a process that has read the head of a filter with the usual keys. */
  private CheckBatcher checks(RedisConnections connections, int mostWaiting) {
    build(store(first), SHAPE, numbers(0, PRESENT));
    PartitionHead head =
        new PartitionHead(
            connections.requests(),
            new PartitionKeys("bloomguard", filter, 0, false),
            Fingerprint.of(filter, SHAPE, SipHash.oneThree(SECRET), 1, 0),
            losses -> false,
            (server, losses) -> {});
    head.read(connections.requests(), Duration.ofSeconds(5));
    return new CheckBatcher(head, connections.requests(), () -> {}, mostWaiting);
  }

  /** Pauses the answers of Redis. A script would not do: newer servers stop its clock. */
  private void stall(int millis) {
    redis.asyncCommands().clientPause(millis);
  }

  /** How many commands read words since the statistics were reset. */
  private long commands() {
    return redis.calls("bitfield_ro");
  }

  /**
   * Threads that check keys, half of them present, and believe no wrong answer. Every second thread
   * has several checks under way.
   */
  private static final class Crowd {

    final AtomicLong answered = new AtomicLong();
    final AtomicLong unknown = new AtomicLong();
    private final AtomicBoolean done = new AtomicBoolean();
    private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    private final ExecutorService waiters = Executors.newFixedThreadPool(4);
    private final List<Future<?>> running = new ArrayList<>();
    private final boolean bounded;

    Crowd(SchemeStore store, int checks) {
      bounded = checks < Integer.MAX_VALUE;
      CountDownLatch ready = new CountDownLatch(CALLERS);
      for (int caller = 0; caller < CALLERS; caller++) {
        SplittableRandom random = new SplittableRandom(caller);
        boolean waits = caller % 2 == 0;
        running.add(
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  ArrayDeque<CompletableFuture<?>> underWay = new ArrayDeque<>();
                  for (int i = 0; i < checks && !done.get(); i++) {
                    int key = random.nextInt(2 * PRESENT);
                    if (waits) {
                      note(key, store.check(Integer.toString(key)));
                      continue;
                    }
                    if (underWay.size() == UNDER_WAY) {
                      underWay.remove().get();
                    }
                    underWay.add(
                        store
                            .checkAsync(List.of(Integer.toString(key)), waiters)
                            .thenAccept(answers -> note(key, answers[0])));
                  }
                  for (CompletableFuture<?> each : underWay) {
                    each.get();
                  }
                  return null;
                }));
      }
    }

    private void note(int key, Membership answer) {
      if (answer == UNKNOWN) {
        unknown.incrementAndGet();
        return;
      }
      assertThat(answer).as("key %s", key).isEqualTo(key < PRESENT ? POSSIBLY_PRESENT : ABSENT);
      answered.incrementAndGet();
    }

    void finish() throws Exception {
      done.set(!bounded);
      try {
        for (Future<?> each : running) {
          each.get();
        }
      } finally {
        done.set(true);
        threads.shutdownNow();
        waiters.shutdownNow();
      }
    }
  }
}
