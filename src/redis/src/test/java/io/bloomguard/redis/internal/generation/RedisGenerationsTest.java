package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore.Build;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.TestRedisFilters;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.partition.JournalBound;
import io.bloomguard.redis.internal.partition.RecoverySettings;
import io.bloomguard.redis.internal.partition.RedisPartition;
import io.lettuce.core.Range;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds between processes that share a filter in Redis. */
class RedisGenerationsTest extends RedisTestBase {

  @Test
  void whatOneProcessAddsTheOtherSees() {
    SchemeStore here = store(first);
    SchemeStore there = store(second);
    here.serveEmpty(SHAPE);
    there.serveEmpty(SHAPE);
    assertThat(here.status().generation()).isEqualTo(1);

    assertThat(here.addAll(numbers(0, 500))).isEqualTo(500);

    assertThat(there.checkAll(numbers(0, 500))).containsOnly(POSSIBLY_PRESENT);
    assertThat(there.check("500")).isEqualTo(ABSENT);
    assertThat(there.status().estimatedElements()).isBetween(490L, 510L);
  }

  @Test
  void aRebuildElsewhereIsFollowedByTheNextCheck() {
    SchemeStore here = store(first);
    SchemeStore there = store(second);
    build(here, SHAPE, List.of("old"));
    assertThat(there.check("old")).isEqualTo(POSSIBLY_PRESENT);

    build(here, SHAPE, List.of("new"));

    assertThat(there.check("new")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(there.check("old")).isEqualTo(ABSENT);
  }

  /** Checks share commands, but none joins one that was sent before its key was acknowledged. */
  @Test
  void aCheckThatBeginsAfterAnAddFindsItHoweverManyOthersAreUnderWay() throws Exception {
    SchemeStore here = store(first);
    SchemeStore there = store(second);
    FilterShape shape = Sizing.blocked(10_000, 1e-6, 8);
    here.serveEmpty(shape);
    there.check("any");
    int callers = 16;
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      List<Future<Integer>> running = new ArrayList<>();
      for (int caller = 0; caller < callers; caller++) {
        int base = caller * 1_000_000;
        running.add(
            threads.submit(
                () -> {
                  int found = 0;
                  for (int i = 0; i < 200; i++) {
                    String key = Integer.toString(base + i);
                    here.addAll(List.of(key));
                    Membership answer = (i % 2 == 0 ? here : there).check(key);
                    assertThat(answer).isNotEqualTo(ABSENT);
                    found += answer == POSSIBLY_PRESENT ? 1 : 0;
                  }
                  return found;
                }));
      }
      int found = 0;
      for (Future<Integer> each : running) {
        found += each.get();
      }
      assertThat(found).isGreaterThan(callers * 100);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aFilterWithAnotherHashIsSharedByThoseWithTheSameHashAlone() {
    SchemeStore here = withHash(first, KeyHash.SIPHASH_2_4);
    SchemeStore there = withHash(second, KeyHash.SIPHASH_2_4);
    build(here, SHAPE, numbers(0, 200));
    here.addAll(List.of("added"));

    assertThat(there.checkAll(numbers(0, 200))).containsOnly(POSSIBLY_PRESENT);
    assertThat(there.check("added")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(there.check("201")).isEqualTo(ABSENT);
    build(there, SHAPE, numbers(0, 200));
    assertThat(here.check("added")).isEqualTo(POSSIBLY_PRESENT);

    assertThat(store(second).check("1")).isEqualTo(Membership.UNKNOWN);
  }

  @Test
  void noAcknowledgedKeyIsDeniedByAnyProcessAcrossSwaps() throws Exception {
    SchemeStore builder = store(first);
    SchemeStore other = store(second);
    List<String> rows = numbers(1_000_000, 1_000_200);
    build(builder, SHAPE, rows);
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong checks = new AtomicLong();
    AtomicLong unknown = new AtomicLong();
    ConcurrentLinkedQueue<String> added = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<String> denied = new ConcurrentLinkedQueue<>();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        SplittableRandom random = new SplittableRandom(42 + thread);
        SchemeStore store = thread % 2 == 0 ? builder : other;
        SchemeStore reader = thread < 2 ? other : builder;
        long base = thread * 1_000_000_000L;
        running.add(
            threads.submit(
                () -> {
                  List<String> mine = new ArrayList<>();
                  while (!done.get()) {
                    if (mine.size() < 5_000 && random.nextInt(4) == 0) {
                      String key = Long.toString(base + mine.size());
                      store.addAll(List.of(key));
                      mine.add(key);
                      added.add(key);
                    }
                    List<String> known = mine.isEmpty() || random.nextBoolean() ? rows : mine;
                    String key = known.get(random.nextInt(known.size()));
                    Membership answer = reader.check(key);
                    checks.incrementAndGet();
                    if (answer == ABSENT) {
                      denied.add(key);
                    } else if (answer == Membership.UNKNOWN) {
                      unknown.incrementAndGet();
                    }
                  }
                }));
      }
      for (int swap = 0; swap < 60; swap++) {
        build(swap % 2 == 0 ? builder : other, SHAPE, rows);
      }
      done.set(true);
      for (Future<?> thread : running) {
        thread.get();
      }
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
    assertThat(denied).isEmpty();
    assertThat(added).isNotEmpty();
    assertThat(unknown.get()).isLessThan(checks.get() / 10);
    assertThat(other.checkAll(List.copyOf(added))).containsOnly(POSSIBLY_PRESENT);
    assertThat(builder.checkAll(rows)).containsOnly(POSSIBLY_PRESENT);
    assertThat(images()).hasSize(2);
  }

  /** An image of many chunks, so that adds meet the bulk load on both sides of it. */
  @Test
  void anAddDuringTheBulkLoadIsInTheNewGeneration() throws Exception {
    FilterShape large = Sizing.shape(Layout.BLOCKED, 4_000_000, 1e-9);
    SchemeStore builder = store(first, large);
    SchemeStore adder = store(second, large);
    List<String> rows = numbers(1_000_000, 1_001_000);
    build(builder, large, rows);
    for (int round = 0; round < 3; round++) {
      long base = 10_000_000L * (round + 1);
      AtomicBoolean done = new AtomicBoolean();
      ExecutorService threads = Executors.newSingleThreadExecutor();
      try (Build build = builder.beginBuild(large)) {
        build.addAll(rows.toArray(new String[0]), rows.size());
        Future<Long> added =
            threads.submit(
                () -> {
                  long next = base;
                  for (; !done.get(); next += 50) {
                    adder.addAll(numbers(next, next + 50));
                  }
                  return next;
                });
        build.publish();
        done.set(true);
        assertThat(builder.checkAll(numbers(base, added.get()))).containsOnly(POSSIBLY_PRESENT);
      } finally {
        done.set(true);
        threads.shutdownNow();
      }
    }
  }

  @Test
  void onlyOneProcessBuilds() {
    SchemeStore here = store(first);
    SchemeStore there = store(second);
    try (Build build = here.beginBuild(SHAPE)) {
      assertThatThrownBy(() -> there.beginBuild(SHAPE)).isInstanceOf(BuildRunningException.class);
      assertThat(there.status().state()).isEqualTo(FilterState.WARMING);
      build.publish();
    }
    there.beginBuild(SHAPE).close();
    assertThat(images()).hasSize(1);
  }

  /** In real time: a lock ends by the clock of Redis. */
  @Tag("waits")
  @Test
  void aSlowBuildKeepsItsLock() {
    SchemeStore slow = withLock(first, Duration.ofSeconds(2));
    SchemeStore there = store(second);
    try (Build build = slow.beginBuild(SHAPE)) {
      byte[] timer = key("timer");
      redis.commands().psetex(timer, 2_500, timer);
      await().until(() -> redis.commands().exists(timer) == 0);
      assertThatThrownBy(() -> there.beginBuild(SHAPE)).isInstanceOf(BuildRunningException.class);
      build.publish();
    }
  }

  @Test
  void aBuilderThatLostItsLockNeitherPublishesNorDisturbsTheNext() {
    SchemeStore paused = store(first);
    SchemeStore next = store(second);
    build(paused, SHAPE, List.of("serving"));
    Build late = paused.beginBuild(SHAPE);
    late.addAll(new String[] {"late"}, 1);
    redis.commands().del(key("lock"));

    try (Build build = next.beginBuild(SHAPE)) {
      build.addAll(new String[] {"next"}, 1);
      assertThat(images()).as("the crashed build's image is cleared").hasSize(2);
      assertThatThrownBy(late::publish).isInstanceOf(IllegalStateException.class);
      assertThat(images()).as("no late chunk brings its image back").hasSize(2);
      late.close();
      assertThat(images()).as("nothing of the late builder is left").hasSize(2);
      build.publish();
    }
    assertThat(next.checkAll(List.of("next", "late", "serving")))
        .containsExactly(POSSIBLY_PRESENT, ABSENT, ABSENT);
  }

  @Test
  void aBuildWhoseLockEndedIsNotPublished() {
    SchemeStore store = store(first);
    build(store, SHAPE, List.of("old"));
    try (Build build = store.beginBuild(SHAPE)) {
      redis.commands().del(key("lock"));
      assertThatThrownBy(build::publish).hasMessageContaining("lock");
    }
    assertThat(store.check("old")).isEqualTo(POSSIBLY_PRESENT);
    build(store, SHAPE, List.of("new"));
    assertThat(store.check("new")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aBuildWhoseImageWasDamagedIsNotPublished() {
    SchemeStore store = store(first);
    build(store, SHAPE, List.of("old"));
    try (Build build = store.beginBuild(SHAPE)) {
      redis.commands().del(images().toArray(new byte[0][]));
      assertThatThrownBy(build::publish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(images()).isEmpty();
  }

  @Test
  void thePreviousGenerationEndsWithItsGrace() {
    SchemeStore store =
        store(
            TestRedisFilters.filter(
                filter, SHAPE, first, "bloomguard", Duration.ofMillis(50), null),
            AT_ONCE);
    build(store, SHAPE, List.of("1"));
    build(store, SHAPE, List.of("2"));
    assertThat(store.status().hasPrevious()).isTrue();

    await()
        .untilAsserted(
            () -> {
              store.maintain();
              assertThat(store.status().hasPrevious()).isFalse();
            });
    assertThat(images()).hasSize(1);
    assertThat(store.check("2")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void partitionsTogetherAreOneFilter() {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 20_000, 0.01);
    SchemeStore here = partitioned(first, shape);
    SchemeStore there = partitioned(second, shape);
    List<String> rows = numbers(0, 20_000);
    there.addAll(List.of("early"));
    build(here, shape, rows);
    assertThat(images()).hasSizeGreaterThan(3);
    there.addAll(numbers(-100, 0));

    assertThat(there.checkAll(rows)).containsOnly(POSSIBLY_PRESENT);
    assertThat(here.checkAll(numbers(-100, 0))).containsOnly(POSSIBLY_PRESENT);
    assertThat(here.check("early")).isEqualTo(POSSIBLY_PRESENT);
    long passed =
        Arrays.stream(there.checkAll(numbers(1_000_000, 1_040_000)))
            .filter(answer -> answer == POSSIBLY_PRESENT)
            .count();
    assertThat(passed).isLessThan((long) (400 + 3 * Math.sqrt(400)));
    assertThat(here.status().state()).isEqualTo(FilterState.READY);
    assertThat(here.status().estimatedElements()).isBetween(19_500L, 20_700L);

    build(there, shape, List.of("other"));
    assertThat(here.check("other")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(here.rollback()).isTrue();
    assertThat(there.checkAll(rows)).containsOnly(POSSIBLY_PRESENT);

    redis.commands().del(key("head"));
    assertThat(there.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(there.checkAll(rows)).contains(Membership.UNKNOWN).doesNotContain(ABSENT);
  }

  @Test
  void aRollbackIsOneStepForEveryProcess() {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 20_000, 0.001);
    SchemeStore here = partitioned(first, shape);
    SchemeStore there = partitioned(second, shape);
    assertThat(there.rollback()).as("nothing serves").isFalse();
    build(here, shape, numbers(0, 500));
    assertThat(there.rollback()).as("nothing served before").isFalse();
    build(here, shape, numbers(1_000, 1_500));
    there.addAll(numbers(2_000, 2_500));

    assertThat(there.rollback()).isTrue();
    for (SchemeStore each : List.of(here, there)) {
      assertThat(each.status().generation()).isEqualTo(1);
      assertThat(each.status().state()).isEqualTo(FilterState.READY);
      assertThat(each.checkAll(numbers(0, 500))).containsOnly(POSSIBLY_PRESENT);
      assertThat(each.checkAll(numbers(2_000, 2_500))).containsOnly(POSSIBLY_PRESENT);
      assertThat(each.checkAll(numbers(1_000, 1_500))).contains(ABSENT);
    }
    assertThat(here.rollback()).as("of a rollback").isFalse();
    assertThat(there.status().generation()).isEqualTo(1);
  }

  /** As an operator's second call finds it whose first one was cut short. */
  @Test
  void aRollbackThatStoppedHalfWayIsRightAndIsCompletedByTheNext() {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 20_000, 0.001);
    SchemeStore here = partitioned(first, shape);
    SchemeStore there = partitioned(second, shape);
    build(here, shape, numbers(0, 500));
    build(here, shape, numbers(0, 1_000));
    there.addAll(numbers(2_000, 2_500));
    int partitions = images().size() / 2;
    assertThat(partitions).isGreaterThan(2);

    assertThat(partition(first, 1).rollback(2)).isTrue();
    for (SchemeStore each : List.of(here, there)) {
      assertThat(each.status().state()).isEqualTo(FilterState.READY);
      assertThat(each.checkAll(numbers(0, 500))).containsOnly(POSSIBLY_PRESENT);
      assertThat(each.checkAll(numbers(2_000, 2_500))).containsOnly(POSSIBLY_PRESENT);
    }
    there.addAll(numbers(3_000, 3_500));
    assertThat(here.checkAll(numbers(3_000, 3_500))).containsOnly(POSSIBLY_PRESENT);

    assertThat(there.rollback()).isTrue();
    assertThat(generations()).containsOnly("1").hasSize(partitions);
    assertThat(here.status().generation()).isEqualTo(1);
    assertThat(here.checkAll(numbers(3_000, 3_500))).containsOnly(POSSIBLY_PRESENT);
    build(here, shape, numbers(0, 1_000));
    assertThat(there.status().generation()).isEqualTo(3);
    assertThat(there.checkAll(numbers(3_000, 3_500))).containsOnly(POSSIBLY_PRESENT);
  }

  @Test
  void aRollbackThatOnePartitionCannotMakeIsMadeByNone() {
    FilterShape shape = Sizing.shape(Layout.BLOCKED, 20_000, 0.001);
    SchemeStore here = partitioned(first, shape);
    build(here, shape, numbers(0, 500));
    List<byte[]> old = images();
    build(here, shape, numbers(0, 1_000));
    int partitions = old.size();
    byte[] damaged =
        old.stream()
            .filter(image -> new String(image, UTF_8).contains(":" + (partitions - 1) + "}"))
            .findFirst()
            .orElseThrow();
    redis.commands().set(damaged, damaged);

    assertThat(here.rollback()).isFalse();
    assertThat(generations()).containsOnly("2").hasSize(partitions);
    assertThat(here.checkAll(numbers(0, 1_000))).containsOnly(POSSIBLY_PRESENT);
  }

  /** Both begin while generation 2 serves; one step each would be none. */
  @Test
  void twoRollbacksAtOnceAreOneStep() throws Exception {
    SchemeStore here = store(first);
    build(here, SHAPE, numbers(0, 500));
    build(here, SHAPE, numbers(0, 500));
    RedisPartition one = partition(first, 0);
    RedisPartition other = partition(second, 0);
    assertThat(one.rollback(2)).isTrue();
    assertThat(other.rollback(2)).isTrue();
    assertThat(generations()).containsExactly("1");
  }

  /**
   * Freeing a large string takes long, so it is left to another thread of Redis. In real time: an
   * image is deleted by the clock of Redis.
   */
  @Tag("waits")
  @Test
  void anOldImageIsUnlinkedNotDeleted() {
    SchemeStore store =
        store(
            TestRedisFilters.filter(filter, SHAPE, first, "bloomguard", Duration.ofMillis(1), null),
            Limits.USUAL);
    build(store, SHAPE, List.of("1"));
    build(store, SHAPE, List.of("2"));
    redis.commands().configResetstat();
    await()
        .untilAsserted(
            () -> {
              store.maintain();
              assertThat(images()).hasSize(1);
            });
    assertThat(redis.commands().info("commandstats"))
        .contains("cmdstat_unlink:calls=1,")
        .doesNotContain("cmdstat_del:");
  }

  @Test
  void guavasLayoutIsRefused() {
    assertThatThrownBy(() -> store(first, Sizing.shape(Layout.GUAVA, 1_000, 0.01)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("GUAVA");
  }

  @Test
  void noRawKeyIsAnywhereInRedis() {
    String key = "a-key-nobody-may-read";
    SchemeStore store = store(first);
    build(store, SHAPE, List.of(key));
    store.addAll(List.of(key, key + "-2"));
    store.check(key);

    StringBuilder everything = new StringBuilder();
    for (byte[] name : RedisKeys.like(redis.commands(), "*")) {
      everything.append(new String(name, UTF_8));
      switch (redis.commands().type(name)) {
        case "string" -> everything.append(new String(redis.commands().get(name), ISO_8859_1));
        case "hash" ->
            redis
                .commands()
                .hgetall(name)
                .forEach(
                    (field, value) ->
                        everything
                            .append(new String(field, UTF_8))
                            .append(new String(value, UTF_8)));
        case "stream" ->
            redis
                .commands()
                .xrange(name, Range.unbounded())
                .forEach(
                    entry ->
                        entry
                            .getBody()
                            .values()
                            .forEach(value -> everything.append(new String(value, ISO_8859_1))));
        default -> assertThat(redis.commands().type(name)).isEqualTo("list");
      }
    }
    assertThat(everything).contains("BLOOMGRD".substring(0, 7)).doesNotContain(key);
  }

  /** The generation that each partition serves. */
  private List<String> generations() {
    return RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*}:head").stream()
        .map(head -> redis.commands().hget(head, "serving".getBytes(UTF_8)))
        .map(id -> new String(id, UTF_8).split("-")[0])
        .toList();
  }

  /** A partition by itself, as it is in Redis. */
  private RedisPartition partition(RedisConnections connections, int index) {
    PartitionKeys keys = new PartitionKeys("bloomguard", filter, index, false);
    byte[] own = redis.commands().hget(keys.head(), "serving-fingerprint".getBytes(UTF_8));
    return new RedisPartition(
        connections,
        keys,
        Fingerprint.parse(new String(own, UTF_8)),
        new JournalBound(filter, RETENTION, TestGenerations.journal(filter), 1 << 20),
        new RecoverySettings(
            Duration.ofSeconds(10),
            Duration.ZERO,
            Duration.ofMinutes(2),
            () -> new RecoverySettings.Refill(false, since -> {}),
            Runnable::run),
        new RedisPartition[0],
        null);
  }

  private SchemeStore withHash(RedisConnections connections, KeyHash hash) {
    return store(settings(connections, SHAPE), SECRET, hash, AT_ONCE);
  }

  private SchemeStore withLock(RedisConnections connections, Duration lock) {
    return store(settings(connections, SHAPE), AT_ONCE.withLockLifetime(lock));
  }

  private SchemeStore partitioned(RedisConnections connections, FilterShape shape) {
    return store(settings(connections, shape), AT_ONCE.withMaxImageBytes(8 << 10));
  }
}
