package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.redis.internal.build.BuildOrigin;
import io.bloomguard.redis.internal.build.RedisBuild;
import io.bloomguard.redis.internal.build.RedisRebuildStatusStore;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.partition.RedisPartition;
import io.lettuce.core.KillArgs;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Who may end a doubt, who is waited for, and what a doubt leaves behind. In real time: a doubt
 * lasts for a second or more by the clock of Redis, which no test can set.
 */
@Tag("waits")
class RedisSettlingTest extends RedisTestBase {

  private static final List<String> SOURCE = List.of("s1", "s2");

  /** A writer that says nothing for two seconds is gone. */
  private static final Limits LIMITS =
      Limits.USUAL.withLifetime(Duration.ofSeconds(2)).withGrace(Duration.ofSeconds(1));

  private SchemeStore a;
  private SchemeStore b;

  @BeforeEach
  void twoProcesses() {
    first.awaitConnected(Duration.ofSeconds(20));
    second.awaitConnected(Duration.ofSeconds(20));
    buildAlone(SHAPE, SOURCE);
    a = store(settings(first, SHAPE), LIMITS);
    b = store(settings(second, SHAPE), LIMITS);
    a.refillAfterLoss(true, since -> {});
    // Without a journal nothing would be lost with it.
    a.addAll(List.of("added"));
    a.maintain();
    b.maintain();
    assertThat(b.check("x")).isEqualTo(ABSENT);
  }

  /** It has no source, so it cannot know that others need theirs. */
  @Test
  void aProcessWithoutASourceDoesNotEndADoubtThatNeedsOne() {
    redis.commands().del(key("journal"));
    a.maintain();
    // As if what is lost were of long ago.
    redis.commands().hset(key("head"), "since".getBytes(UTF_8), "1".getBytes(UTF_8));
    a.maintain();
    await()
        .until(
            () -> {
              b.maintain();
              FilterStatus status = b.status();
              return status.state() == FilterState.DOUBTFUL && !status.isSettling();
            });

    for (int i = 0; i < 3; i++) {
      b.maintain();
      assertThat(b.check("x")).isEqualTo(UNKNOWN);
    }
    build(a, SHAPE, SOURCE);
    b.maintain();
    assertThat(b.check("x")).isEqualTo(ABSENT);
  }

  /** Its maintenance may be under way while it closes. */
  @Test
  void aProcessThatGoesOnAfterItHasLeftCausesNoDoubt() {
    a.close();
    a.maintain();
    a.addAll(List.of("late"));
    b.maintain();

    assertThat(b.check("x")).isEqualTo(ABSENT);
    assertThat(b.checkAll(List.of("added", "late"))).containsOnly(POSSIBLY_PRESENT);
  }

  /** Also by one that starts meanwhile, whose first add this is. */
  @Test
  void whatIsRefilledIsAddedByWhoeverSettles() {
    redis.commands().del(key("journal"));
    b.maintain();
    SchemeStore c = store(settings(first, SHAPE), LIMITS);
    c.refillAfterLoss(true, since -> c.addAll(List.of("row of another program")));

    c.addAll(List.of("c"));
    decides(a, b, c);
    assertThat(b.check("row of another program")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(b.check("x")).isEqualTo(ABSENT);
  }

  /** Even when the process that could not read it is gone before the doubt ends. */
  @Test
  void whatCannotBeRefilledIsBuiltAnew() {
    redis.commands().del(key("journal"));
    b.maintain();
    SchemeStore c = store(settings(first, SHAPE), LIMITS);
    c.refillAfterLoss(
        true,
        since -> {
          throw new IllegalStateException("the source is away");
        });
    c.maintain();
    c.close();

    await()
        .until(
            () -> {
              a.maintain();
              b.maintain();
              assertThat(b.check("row of another program")).isEqualTo(UNKNOWN);
              return redis.commands().hexists(key("head"), "settled".getBytes(UTF_8));
            });
    a.maintain();
    b.maintain();
    assertThat(b.check("row of another program")).isEqualTo(UNKNOWN);
    FilterStatus status = a.status();
    assertThat(status.state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(status.isSettling()).as("it waits for a build").isFalse();

    build(a, SHAPE, List.of("s1", "row of another program"));
    decides(a, b);
    assertThat(b.check("row of another program")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** There is nothing to build it from: it would be in doubt for ever. */
  @Test
  void aFilterWithoutASourceIsSettledThoughNothingWasRefilled() {
    a.refillAfterLoss(
        false,
        since -> {
          throw new IllegalStateException("there is no source");
        });
    redis.commands().del(key("journal"));
    a.maintain();
    decides(a, b);
    assertThat(b.check("added")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aBuildThatCannotBeginGivesTheLockBack() {
    assertThatThrownBy(() -> begin(() -> {})).isInstanceOf(NoClassDefFoundError.class);
    assertThat(redis.commands().exists(key("lock"))).isZero();

    byte[] another = "another's".getBytes(UTF_8);
    assertThatThrownBy(() -> begin(() -> redis.commands().set(key("lock"), another)))
        .isInstanceOf(NoClassDefFoundError.class);
    assertThat(redis.commands().get(key("lock"))).isEqualTo(another);
  }

  /** Begins a build that fails once it has the lock. */
  private void begin(Runnable then) {
    KeyHasher hasher = KeyHash.SIPHASH_1_3.hasher(SECRET);
    KeyHasher failing =
        (KeyHasher)
            Proxy.newProxyInstance(
                KeyHasher.class.getClassLoader(),
                new Class<?>[] {KeyHasher.class},
                (proxy, method, arguments) -> {
                  if (!method.getName().equals("algorithm")) {
                    return method.invoke(hasher, arguments);
                  }
                  then.run();
                  throw new NoClassDefFoundError("a hash");
                });
    RedisPartition[] partitions = a.partitions();
    RedisRebuildStatusStore board =
        new RedisRebuildStatusStore(filter, first, partitions[0].keys());
    RedisBuild.begin(
        new RedisBuild.Order(
            filter,
            partitions,
            List.of(partitions),
            SHAPE,
            failing,
            "run",
            LIMITS.lockLifetime(),
            board,
            BuildOrigin.of(SHAPE, RETENTION),
            true,
            null));
  }

  @Tag("thorough")
  @Tag("long")
  @Test
  void whoAddsAgainForLongIsWaitedFor() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch loaded = new CountDownLatch(1);
    a.addAll(List.of("own"));
    a.refillAfterLoss(
        true,
        since -> {
          begun.countDown();
          awaitUninterruptibly(loaded);
          a.addAll(List.of("row"));
        });
    redis.commands().del(key("journal"));
    try {
      inTime(a::maintain);
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      long end = redisMillis() + LIMITS.lifetime().plus(LIMITS.grace()).toMillis() + 500;
      while (redisMillis() < end) {
        inTime(a::maintain);
        b.maintain();
        assertThat(b.check("row")).isEqualTo(UNKNOWN);
      }
    } finally {
      loaded.countDown();
    }

    decides(a, b);
    assertThat(b.checkAll(List.of("own", "row"))).containsOnly(POSSIBLY_PRESENT);
  }

  /** A process that starts in a doubt may have a source that hangs. */
  @Tag("thorough")
  @Tag("long")
  @Test
  void anAddWaitsForNoRefill() throws Exception {
    redis.commands().del(key("journal"));
    b.maintain();
    CountDownLatch loaded = new CountDownLatch(1);
    SchemeStore c = store(settings(first, SHAPE), LIMITS);
    c.refillAfterLoss(
        true,
        since -> {
          awaitUninterruptibly(loaded);
          c.addAll(List.of("row"));
        });
    try {
      for (int i = 0; i < 50; i++) {
        String key = "c" + i;
        inTime(() -> c.addAll(List.of(key)));
      }
      long end = redisMillis() + LIMITS.lifetime().plus(LIMITS.grace()).toMillis() + 500;
      while (redisMillis() < end) {
        inTime(c::maintain);
        a.maintain();
        b.maintain();
        assertThat(b.check("row")).as("c is waited for").isEqualTo(UNKNOWN);
      }
    } finally {
      loaded.countDown();
    }

    decides(a, b, c);
    assertThat(b.checkAll(List.of("c0", "c49", "row"))).containsOnly(POSSIBLY_PRESENT);
  }

  @Test
  void aBuildBeginsWhileARefillHangs() throws Exception {
    CountDownLatch loaded = new CountDownLatch(1);
    a.refillAfterLoss(true, since -> awaitUninterruptibly(loaded));
    redis.commands().del(key("journal"));
    Thread other = null;
    try {
      inTime(a::maintain);
      other = maintaining(b);
      inTime(
          () -> {
            try (GenerationStore.Build build = a.beginBuild(SHAPE)) {
              build.addAll(new String[] {"s1"}, 1);
              loaded.countDown();
              build.publish();
            }
          });
    } finally {
      loaded.countDown();
      if (other != null) {
        other.interrupt();
        other.join();
      }
    }
    decides(a, b);
    assertThat(b.check("s1")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** Maintenance may be slow, or stuck behind that of other filters. */
  @Test
  void aSignOfLifeNeedsNoMaintenance() {
    byte[] before = redis.commands().hvals(key("writers")).get(0);
    await()
        .until(
            () -> {
              a.heartbeat();
              b.heartbeat();
              return redis.commands().hvals(key("writers")).stream()
                  .noneMatch(entry -> Arrays.equals(entry, before));
            });
  }

  /** Every add would go on to reach its image, and the journal would grow for ever. */
  @Test
  void aBuildWhoseProcessHasDiedIsCleared() {
    GenerationStore.Build dead = a.beginBuild(SHAPE);
    assertThat(images()).hasSize(2);
    redis.commands().del(key("lock"));

    b.maintain();
    assertThat(images()).as("its last script may be under way").hasSize(2);
    b.maintain();

    assertThat(images()).hasSize(1);
    assertThat(redis.commands().hexists(key("head"), "building".getBytes(UTF_8))).isFalse();
    dead.close();
    assertThat(b.check("s1")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void headsThatAreReadWhileOthersAddAreNotTakenForOldOnes() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService adders = Executors.newFixedThreadPool(3);
    try {
      for (GenerationStore store : List.of(a, b, a)) {
        adders.submit(
            () -> {
              for (int key = 0; !done.get(); key++) {
                store.addAll(List.of("key" + key));
              }
            });
      }
      RedisPartition partition = b.partitions()[0];
      for (int i = 0; i < 2_000; i++) {
        RedisHead head = partition.head().read(partition.requests(), RedisConnections.SLOW);
        assertThat(head.trust().epoch()).as("reading %d", i).isNotEmpty();
      }
    } finally {
      done.set(true);
      adders.shutdown();
    }
    assertThat(b.check("s1")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void lostConnectionsLeaveNoneBehind() {
    b.check("s1");
    long before = connections();
    for (int i = 0; i < 10; i++) {
      redis.commands().clientKill(KillArgs.Builder.skipme());
      await()
          .until(
              () -> {
                b.maintain();
                return b.check("s1") == POSSIBLY_PRESENT;
              });
    }
    a.maintain();
    await().untilAsserted(() -> assertThat(connections()).isLessThanOrEqualTo(before));
  }

  private static void decides(SchemeStore... stores) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              boolean decided = true;
              for (SchemeStore store : stores) {
                store.maintain();
                decided &= store.status().state() == FilterState.READY;
                decided &= store.check("x") == ABSENT;
              }
              return decided;
            });
  }

  /** What waits for something slow does not end here. */
  private static void inTime(Runnable call) throws Exception {
    ExecutorService one = Executors.newSingleThreadExecutor();
    try {
      one.submit(call).get(20, TimeUnit.SECONDS);
    } finally {
      one.shutdownNow();
    }
  }

  private long connections() {
    return redis.commands().clientList().lines().count();
  }

  private long redisMillis() {
    return Long.parseLong(new String(redis.commands().time().get(0), UTF_8)) * 1000
        + Long.parseLong(new String(redis.commands().time().get(1), UTF_8)) / 1000;
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
