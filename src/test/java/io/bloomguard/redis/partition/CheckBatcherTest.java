package io.bloomguard.redis.partition;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Fingerprint;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.client.RedisConnections;
import io.bloomguard.redis.generation.RedisGenerations;
import io.bloomguard.redis.generation.RedisTestBase;
import io.bloomguard.redis.image.PartitionKeys;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that share commands: each caller gets its own key's answer, whatever happens between. */
class CheckBatcherTest extends RedisTestBase {

  private static final int CALLERS = 32;
  private static final int PRESENT = 2_000;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void everyCallerGetsTheAnswerOfItsOwnKey(int blockWords) throws Exception {
    FilterShape shape = Sizing.blocked(20_000, 1e-6, blockWords);
    RedisGenerations store = store(first, shape);
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
    RedisGenerations store = store(first);
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
    RedisGenerations store = store(first);
    RedisGenerations builder = store(second);
    List<String> keys = numbers(0, PRESENT);
    build(builder, SHAPE, keys);
    assertThat(store.check("0")).isEqualTo(POSSIBLY_PRESENT);

    Crowd crowd = new Crowd(store, Integer.MAX_VALUE);
    for (int swap = 0; swap < 30; swap++) {
      build(builder, SHAPE, keys);
    }
    crowd.finish();

    assertThat(crowd.answered.get()).isPositive();
    assertThat(crowd.unknown.get()).isLessThan(crowd.answered.get() / 10);
  }

  @Test
  void connectionsMayBeKilledUnderACrowd() throws Exception {
    RedisConnections brief = redis.connections(Duration.ofMillis(500));
    RedisGenerations store = store(brief);
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
    RedisGenerations store = store(redis.connections(Duration.ofMillis(200)));
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

  /** Redis stands still: some commands leave, the last of them late, and then the queue is full. */
  @Test
  void whoComesWhileTooManyWaitIsUnknownAtOnce() throws Exception {
    build(store(first), SHAPE, numbers(0, PRESENT));
    Fingerprint own = Fingerprint.of(filter, SHAPE, SipHash.oneThree(SECRET), 1, 0);
    PartitionHead head =
        new PartitionHead(
            first.requests(),
            new PartitionKeys("bloomguard", filter, 0, false),
            own,
            losses -> false,
            text -> false);
    head.read(first.requests(), Duration.ofSeconds(5));
    CheckBatcher checks = new CheckBatcher(head, first.requests(), () -> {}, 3);
    stall(3_000);
    CountDownLatch together = new CountDownLatch(CALLERS);
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try {
      CompletionService<Membership> callers = new ExecutorCompletionService<>(threads);
      for (int caller = 0; caller < CALLERS; caller++) {
        callers.submit(
            () -> {
              together.countDown();
              together.await();
              return checks.check(42);
            });
      }
      List<Membership> answers = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        answers.add(callers.take().get());
      }
      assertThat(answers).containsOnly(UNKNOWN, ABSENT).startsWith(UNKNOWN).endsWith(ABSENT);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void anInterruptedCallerDoesNotWait() {
    RedisGenerations store = store(first);
    build(store, SHAPE, numbers(0, PRESENT));
    assertThat(store.check("0")).isEqualTo(POSSIBLY_PRESENT);
    stall(1_000);
    Thread.currentThread().interrupt();

    assertThat(store.check("1")).isEqualTo(UNKNOWN);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.check("1")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** Pauses the answers of Redis. A script would not do: newer servers stop its clock. */
  private void stall(int millis) {
    redis.asyncCommands().clientPause(millis);
  }

  /** How many commands read words since the statistics were reset. */
  private long commands() {
    String stats = redis.commands().info("commandstats");
    int at = stats.indexOf("cmdstat_bitfield_ro:calls=");
    if (at < 0) {
      return 0;
    }
    int from = at + "cmdstat_bitfield_ro:calls=".length();
    return Long.parseLong(stats.substring(from, stats.indexOf(',', from)));
  }

  /** Threads that check keys, half of them present, and believe no wrong answer. */
  private static final class Crowd {

    final AtomicLong answered = new AtomicLong();
    final AtomicLong unknown = new AtomicLong();
    private final AtomicBoolean done = new AtomicBoolean();
    private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    private final List<Future<?>> running = new ArrayList<>();
    private final boolean bounded;

    Crowd(RedisGenerations store, int checks) {
      bounded = checks < Integer.MAX_VALUE;
      CountDownLatch ready = new CountDownLatch(CALLERS);
      for (int caller = 0; caller < CALLERS; caller++) {
        SplittableRandom random = new SplittableRandom(caller);
        running.add(
            threads.submit(
                () -> {
                  ready.countDown();
                  ready.await();
                  for (int i = 0; i < checks && !done.get(); i++) {
                    check(store, random.nextInt(2 * PRESENT));
                  }
                  return null;
                }));
      }
    }

    private void check(RedisGenerations store, int key) {
      Membership answer = store.check(Integer.toString(key));
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
      }
    }
  }
}
