package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.partition.PartitionReplica;
import io.lettuce.core.XTrimArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replicas that are fed while others add, swap generations and lose the journal. */
@Tag("thorough")
@Tag("long")
class RedisReplicaRaceTest extends RedisTestBase {

  private static final Duration LONG = Duration.ofMinutes(2);

  /** Doubts that end soon. */
  private static final Limits QUICK = Limits.USUAL.withGrace(Duration.ofMillis(150));

  private static final Duration LEASE = Duration.ofMillis(100);

  private static final int SWAPS = 20;

  /** Many chunks, so that loads take a while. */
  private static final FilterShape LARGE = Sizing.shape(Layout.BLOCKED, 200_000, 1e-9);

  /** A key that is acknowledged is found at once, at a process that asks its own copy. */
  @Test
  void anAcknowledgedKeyIsNeverDenied() throws Exception {
    ReplicaSettings settings = new ReplicaSettings(LARGE.sizeBytes() * 2, LEASE);
    SchemeStore builder = process(first, null);
    List<String> rows = numbers(1_000_000, 1_000_200);
    build(builder, LARGE, rows);
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong checks = new AtomicLong();
    AtomicLong fromCopy = new AtomicLong();
    // What the journal has lost a new generation has from here.
    ConcurrentLinkedQueue<String> source = new ConcurrentLinkedQueue<>(rows);
    ConcurrentLinkedQueue<String> denied = new ConcurrentLinkedQueue<>();
    ExecutorService threads = Executors.newCachedThreadPool();
    SchemeStore reader = process(second, settings);
    reader.sync().start();
    try {
      threads.submit(() -> maintain(done, builder, reader));
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < 3; thread++) {
        SplittableRandom random = new SplittableRandom(7 + thread);
        // The last of them adds through the process that has the replica.
        SchemeStore adder = thread < 2 ? builder : reader;
        long base = thread * 1_000_000_000L;
        running.add(
            threads.submit(
                () -> {
                  List<String> mine = new ArrayList<>();
                  while (!done.get()) {
                    if (mine.isEmpty() || (mine.size() < 20_000 && random.nextInt(4) == 0)) {
                      String key = Long.toString(base + mine.size());
                      source.add(key);
                      if (isAdded(adder, key)) {
                        mine.add(key);
                      }
                    }
                    if (mine.isEmpty()) {
                      continue;
                    }
                    int newest = mine.size() - 1;
                    int at = random.nextBoolean() ? newest : random.nextInt(mine.size());
                    long hash = hash(mine.get(at));
                    PartitionReplica copy = reader.partitionOf(hash).replica();
                    if (copy != null && copy.check(hash) != Membership.UNKNOWN) {
                      fromCopy.incrementAndGet();
                    }
                    checks.incrementAndGet();
                    if (reader.check(mine.get(at)) == ABSENT) {
                      denied.add(mine.get(at));
                    }
                    String row = rows.get(random.nextInt(rows.size()));
                    if (reader.check(row) == ABSENT) {
                      denied.add(row);
                    }
                  }
                }));
      }
      SplittableRandom random = new SplittableRandom(42);
      for (int swap = 0; swap < SWAPS; swap++) {
        switch (random.nextInt(3)) {
          case 0 -> redis.commands().xtrim(key("journal"), XTrimArgs.Builder.maxlen(1));
          case 1 -> redis.commands().del(key("journal"));
          default -> build(builder, LARGE, List.copyOf(source));
        }
        long before = checks.get();
        await().atMost(LONG).until(() -> checks.get() > before + 300);
      }
      long answers = fromCopy.get();
      await().atMost(LONG).until(() -> fromCopy.get() > answers + 300);
      done.set(true);
      for (Future<?> thread : running) {
        thread.get();
      }
    } finally {
      done.set(true);
      threads.shutdownNow();
      reader.close();
    }
    assertThat(denied).isEmpty();
  }

  /** What fails is not acknowledged, and the caller may try again. */
  private static boolean isAdded(SchemeStore adder, String key) {
    try {
      adder.addAll(List.of(key));
      return true;
    } catch (AddFailedException e) {
      return false;
    }
  }

  private static long hash(String key) {
    return KeyHash.SIPHASH_1_3.hasher(SECRET).hash(key);
  }

  /** What every process does once a second, more often. */
  private static void maintain(AtomicBoolean done, SchemeStore... stores) {
    while (!done.get()) {
      for (SchemeStore store : stores) {
        store.maintain();
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private SchemeStore process(RedisConnections connections, @Nullable ReplicaSettings settings) {
    return store(settings(connections, LARGE, settings), QUICK);
  }
}
