package io.bloomguard.redis.internal.store;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.TestForm;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.GenerationStore.Build;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.lettuce.core.KillArgs;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three processes with copies that add and ask each other, while the filter is rebuilt now under
 * one secret and now under another, and accidents happen: nobody is denied what was acknowledged,
 * and copies answer again afterwards.
 */
@Tag("thorough")
@Tag("long")
class LeaseStressTest extends RedisTestBase {

  /** What happens besides rebuilds. */
  private enum Accident {
    NONE,
    SCRIPTS_FLUSHED,
    CONNECTIONS_KILLED,
    WAKE_UPS_KILLED,
    REDIS_HALTED,
    JOURNAL_DELETED,
    /** A scheme that was closed to copies is open again before it is moved. */
    REOPENED,
    /** A scheme was closed to copies by a process that has crashed since. */
    LEFT_CLOSED,
    PROCESS_REPLACED
  }

  private static final Logger log = LoggerFactory.getLogger(LeaseStressTest.class);

  private static final long SEED = Long.getLong("stress.seed", 1);
  private static final int STEPS = TestForm.of(10, 30);
  private static final Duration LONG = Duration.ofMinutes(2);

  private static final HashSecret OTHER = HashSecret.parse("ffeeddccbbaa99887766554433221100");
  private static final FilterShape LARGE = Sizing.shape(Layout.BLOCKED, 200_000, 1e-9);
  private static final int PARTITIONS = 3;

  /** Doubts that end soon, and leases shorter than these. */
  private static final Limits LIMITS =
      new Limits(
          LARGE.sizeBytes() / PARTITIONS + 4096,
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofMillis(500),
          Duration.ZERO);

  private static final List<Duration> LEASES =
      List.of(Duration.ofMillis(400), Duration.ofMillis(250), Duration.ofMillis(300));

  private static final int PROCESSES = LEASES.size();
  private static final int ADDERS = PROCESSES + 1;

  /** The most keys that one of them adds. */
  private static final int MOST_KEYS = 40_000;

  private final AtomicReferenceArray<RedisGenerationStore> processes =
      new AtomicReferenceArray<>(PROCESSES);

  private ConcurrentLinkedQueue<String> rows;
  private AtomicReferenceArray<String> newest;
  private ConcurrentLinkedQueue<String> denied;
  private AtomicBoolean done;
  private LongAdder adds;
  private LongAdder failures;
  private LongAdder builds;
  private LongAdder answers;
  private LongAdder unknown;

  private volatile Accident now;

  @ParameterizedTest
  @EnumSource
  void nobodyIsDeniedWhatWasAcknowledged(Accident accident) throws Exception {
    begin();
    ExecutorService threads = Executors.newCachedThreadPool();
    AtomicBoolean ended = new AtomicBoolean();
    try {
      List<Future<?>> callers = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        int process = i;
        threads.submit(() -> maintain(process, ended));
      }
      for (int i = 0; i < ADDERS; i++) {
        int adder = i;
        callers.add(threads.submit(() -> add(adder)));
      }
      callers.add(threads.submit(this::ask));
      callers.add(threads.submit(this::rebuild));
      SplittableRandom random = new SplittableRandom(SEED);
      for (int step = 0; step < STEPS; step++) {
        now = accident;
        happen(accident, random);
        long built = builds.sum();
        long answered = answers.sum();
        boolean soon = random.nextBoolean();
        await()
            .atMost(LONG)
            .until(
                () ->
                    callers.stream().anyMatch(Future::isDone)
                        || (answers.sum() > answered + 300 && (soon || builds.sum() > built)));
      }
      done.set(true);
      for (Future<?> caller : callers) {
        caller.get();
      }
      log.info(
          "{}: {} adds and {} that failed, {} rebuilds, {} answers, of which {} unknown",
          accident,
          adds,
          failures,
          builds,
          answers,
          unknown);
      assertThat(denied).isEmpty();
      assertThat(adds.sum()).isPositive();
      await().atMost(LONG).until(this::copiesAnswer);
    } finally {
      done.set(true);
      ended.set(true);
      threads.shutdown();
      for (int i = 0; i < PROCESSES; i++) {
        processes.get(i).close();
      }
    }
  }

  private void begin() {
    rows = new ConcurrentLinkedQueue<>(numbers(1_000_000, 1_000_100));
    newest = new AtomicReferenceArray<>(ADDERS);
    denied = new ConcurrentLinkedQueue<>();
    done = new AtomicBoolean();
    adds = new LongAdder();
    failures = new LongAdder();
    builds = new LongAdder();
    answers = new LongAdder();
    unknown = new LongAdder();
    for (int i = 0; i < PROCESSES; i++) {
      processes.set(i, open(i));
    }
    build(processes.get(0), LARGE, List.copyOf(rows));
  }

  /** The second of them builds under another secret. */
  private RedisGenerationStore open(int process) {
    boolean other = process == 1;
    RedisGenerationStore store =
        new RedisGenerationStore(
            settings(
                redis.connections(Duration.ofMillis(200)),
                LARGE,
                new ReplicaSettings(2 * LARGE.sizeBytes(), LEASES.get(process))),
            other ? OTHER : SECRET,
            List.of(other ? SECRET : OTHER),
            KeyHash.SIPHASH_1_3,
            KeyFolding.EXACT,
            LIMITS);
    store.refillAfterLoss(true, since -> {});
    return store;
  }

  private void happen(Accident accident, SplittableRandom random) {
    int partition = random.nextInt(PARTITIONS);
    switch (accident) {
      case NONE -> {}
      case SCRIPTS_FLUSHED -> redis.commands().scriptFlush();
      case CONNECTIONS_KILLED ->
          redis.commands().clientKill(KillArgs.Builder.typeNormal().skipme());
      case WAKE_UPS_KILLED -> redis.commands().clientKill(KillArgs.Builder.typePubsub());
      case REDIS_HALTED -> halt(random.nextBoolean());
      case JOURNAL_DELETED -> redis.commands().del(key(partition, "journal"));
      case REOPENED -> redis.commands().hdel(key(partition, "head"), "closing".getBytes(UTF_8));
      case LEFT_CLOSED -> leaveClosed(partition);
      case PROCESS_REPLACED -> {
        int process = random.nextInt(PROCESSES);
        RedisGenerationStore old = processes.get(process);
        processes.set(process, open(process));
        old.close();
      }
    }
  }

  /** For less than a lease, or until the copies answer no more. */
  private void halt(boolean leasesEnd) {
    long answered = answers.sum();
    long unanswered = unknown.sum();
    EmbeddedRedis.Halt halt = redis.halt();
    try (halt) {
      await()
          .atMost(LONG)
          .until(() -> leasesEnd ? unknown.sum() > unanswered + 9 : answers.sum() > answered + 9);
    }
  }

  private void leaveClosed(int partition) {
    String close =
        "if string.find(redis.call('HGET', KEYS[1], 'hashing') or '', '>') then"
            + " redis.call('HSETNX', KEYS[1], 'closing', 'crashed') end";
    redis.commands().eval(close, ScriptOutputType.STATUS, new byte[][] {key(partition, "head")});
  }

  private byte[] key(int partition, String kind) {
    return ("bloomguard:{" + filter + ":" + partition + "}:" + kind).getBytes(UTF_8);
  }

  private void maintain(int process, AtomicBoolean ended) {
    while (!ended.get()) {
      processes.get(process).maintain();
      LockSupport.parkNanos(100_000_000);
    }
  }

  /** Adds, and asks every process for that at once, and for what was added before. */
  private void add(int adder) {
    SplittableRandom random = new SplittableRandom(SEED + adder);
    List<String> mine = new ArrayList<>();
    long begin = 10_000_000L * (adder + 1);
    for (long next = begin; !done.get(); ) {
      int size = next - begin > MOST_KEYS ? 0 : random.nextInt(10) == 0 ? 450 : 1;
      List<String> keys = numbers(next, next + size);
      next += size;
      rows.addAll(keys);
      try {
        processes.get(adder % PROCESSES).addAll(keys);
      } catch (AddFailedException e) {
        failures.increment();
        continue;
      }
      adds.add(size == 0 ? 0 : 1);
      mine.addAll(keys);
      for (int process = 0; process < PROCESSES && !mine.isEmpty(); process++) {
        for (int i = 0; i < size; i += 1 + size / 20) {
          see(process, keys.get(i));
        }
        see(process, mine.get(random.nextInt(mine.size())));
      }
      newest.set(adder, mine.isEmpty() ? null : mine.get(mine.size() - 1));
    }
  }

  private void ask() {
    SplittableRandom random = new SplittableRandom(SEED);
    while (!done.get()) {
      String added = newest.get(random.nextInt(ADDERS));
      for (int process = 0; process < PROCESSES; process++) {
        see(process, added == null ? "1000000" : added);
        see(process, Integer.toString(1_000_000 + random.nextInt(100)));
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Rebuilds at one process after another. Who changes the secret has the others follow. */
  private void rebuild() {
    SplittableRandom random = new SplittableRandom(SEED);
    while (!done.get()) {
      String row = "row " + random.nextLong();
      try (Build build = processes.get(random.nextInt(PROCESSES)).beginBuild(LARGE)) {
        build.awaitSource();
        String[] all = rows.toArray(new String[0]);
        build.addAll(all, all.length);
        build.addAll(new String[] {row}, 1);
        build.publish();
      } catch (BuildRunningException | StoreUnavailableException | IllegalStateException e) {
        // Another has the lock of a build whose connection was lost.
        log.debug("A rebuild failed", e);
        LockSupport.parkNanos(10_000_000);
        continue;
      }
      builds.increment();
      for (int process = 0; process < PROCESSES; process++) {
        see(process, row);
      }
    }
  }

  private void see(int process, String key) {
    Membership answer = processes.get(process).check(key);
    answers.increment();
    if (answer == UNKNOWN) {
      unknown.increment();
    } else if (answer == ABSENT) {
      denied.add(key + " at process " + process + " after " + now);
    }
  }

  /** Whether every process answers without asking Redis. */
  private boolean copiesAnswer() {
    long before = redis.calls("bitfield_ro");
    for (int process = 0; process < PROCESSES; process++) {
      for (int key = 0; key < 50; key++) {
        if (processes.get(process).check("never " + key) != ABSENT) {
          return false;
        }
      }
    }
    return redis.calls("bitfield_ro") == before;
  }
}
