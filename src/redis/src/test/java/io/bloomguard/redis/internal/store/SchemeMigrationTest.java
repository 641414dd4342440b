package io.bloomguard.redis.internal.store;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore.Build;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.ClaimRefusedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.internal.build.RedisBuild;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisFilter;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.generation.SchemeContext;
import io.bloomguard.redis.internal.generation.SchemeStore;
import io.bloomguard.redis.internal.image.HashScheme;
import io.bloomguard.redis.internal.migration.SchemeMigration;
import io.bloomguard.redis.internal.partition.Clocks;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A changed secret, hash or partition count, and nobody is ever denied what somebody has added. */
class SchemeMigrationTest extends RedisTestBase {

  private static final HashSecret OTHER = HashSecret.parse("ffeeddccbbaa99887766554433221100");

  /** How many partitions the shape of the tests has if none is larger than so many bytes. */
  private static final int PARTITIONS = 5;

  private static final long SMALL = 50_000;

  private static final Limits NOW =
      AT_ONCE.withLateCommits(Duration.ZERO).withLockLifetime(Duration.ofSeconds(5));
  private static final Limits MANY = NOW.withMaxImageBytes(SMALL);

  private static final byte[] CLOSING = "closing".getBytes(UTF_8);

  /** What changes, from one to the other. */
  private enum Change {
    SECRET(MANY, MANY, RedisTestBase.SECRET, OTHER, KeyHash.SIPHASH_1_3),
    HASH(MANY, MANY, RedisTestBase.SECRET, RedisTestBase.SECRET, KeyHash.SIPHASH_2_4),
    PARTITIONS(NOW, MANY, RedisTestBase.SECRET, RedisTestBase.SECRET, KeyHash.SIPHASH_1_3);

    private final Limits before;
    private final Limits after;
    private final HashSecret oldSecret;
    private final HashSecret newSecret;
    private final KeyHash newHash;

    Change(Limits before, Limits after, HashSecret oldSecret, HashSecret newSecret, KeyHash hash) {
      this.before = before;
      this.after = after;
      this.oldSecret = oldSecret;
      this.newSecret = newSecret;
      this.newHash = hash;
    }
  }

  private final List<String> source = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> acknowledged = new ConcurrentLinkedQueue<>();
  private final AtomicInteger keys = new AtomicInteger();
  private Change change = Change.SECRET;

  /** Rows whose keys are added from then on commit after the source was read. */
  private boolean marked;

  /** A process of the old configuration and one of the new, each knowing the other's secret. */
  private RedisGenerationStore a;

  private RedisGenerationStore b;

  @BeforeEach
  void begin() {
    marked = false;
    source.clear();
    acknowledged.clear();
    source.addAll(numbers(1_000_000, 1_000_300));
  }

  private void change(Change which) {
    change = which;
    a = before(List.of(change.newSecret));
    b = after(List.of(change.oldSecret));
    build(a, SHAPE, source);
    acknowledged.addAll(source);
    step();
  }

  private RedisGenerationStore before(List<HashSecret> others) {
    return store(change.oldSecret, others, KeyHash.SIPHASH_1_3, first, change.before);
  }

  private RedisGenerationStore after(List<HashSecret> others) {
    return store(change.newSecret, others, change.newHash, second, change.after);
  }

  private RedisGenerationStore store(
      HashSecret secret,
      List<HashSecret> others,
      KeyHash hash,
      RedisConnections connections,
      Limits limits) {
    RedisGenerationStore store =
        new RedisGenerationStore(
            settings(connections, SHAPE), secret, others, hash, KeyFolding.EXACT, limits);
    store.refillAfterLoss(true, since -> {});
    return store;
  }

  /** Adds by both processes, and asks both for everything. */
  private void step() {
    for (RedisGenerationStore store : List.of(a, b)) {
      add(store);
    }
    notDenied(a);
    notDenied(b);
  }

  private boolean add(RedisGenerationStore store) {
    List<String> added = numbers(keys.get(), keys.addAndGet(20));
    if (!marked) {
      source.addAll(added);
    }
    try {
      store.addAll(added);
    } catch (AddFailedException e) {
      return false;
    }
    acknowledged.addAll(added);
    return true;
  }

  private void notDenied(RedisGenerationStore store) {
    assertThat(keysOf(store, ABSENT)).isEmpty();
    acknowledged.stream()
        .limit(20)
        .forEach(
            key -> {
              assertThat(store.check(key)).isNotEqualTo(ABSENT);
              assertThat(later(store, key)).isNotEqualTo(ABSENT);
            });
  }

  /** The answer to a caller whose thread must not wait. */
  private static Membership later(RedisGenerationStore store, String key) {
    return store.checkAsync(List.of(key), ForkJoinPool.commonPool()).join()[0];
  }

  private List<String> keysOf(RedisGenerationStore store, Membership answer) {
    return answered(store, List.copyOf(acknowledged), answer);
  }

  private void decided(RedisGenerationStore store) {
    assertThat(keysOf(store, ABSENT)).isEmpty();
    assertThat(keysOf(store, UNKNOWN)).isEmpty();
    assertThat(store.check("never")).isEqualTo(ABSENT);
    assertThat(store.check("never again")).isEqualTo(ABSENT);
    assertThat(later(store, "never")).isEqualTo(ABSENT);
    assertThat(store.status().state()).isEqualTo(FilterState.READY);
  }

  /** As a managed filter builds. */
  private void buildAll(Build build) {
    marked = true;
    build.awaitSource();
    step();
    build.addAll(source.toArray(new String[0]), source.size());
    step();
    build.publish();
  }

  /** Under another secret or in other partitions its keys lie elsewhere. */
  @ParameterizedTest
  @EnumSource
  void aClaimOutlivesTheChange(Change which) {
    change(which);
    List<String> batch = new ArrayList<>(source.subList(0, 100));
    batch.addAll(numbers(3_000_000, 3_000_400));
    boolean[] answer = a.beginAdd(batch, "batch").isNew();
    assertThat(answer).containsSequence(false, true);
    source.addAll(batch.subList(100, batch.size()));

    try (Build build = b.beginBuild(SHAPE)) {
      assertThat(b.beginAdd(batch, "batch").isNew()).isEqualTo(answer);
      buildAll(build);
    }
    step();
    for (RedisGenerationStore store : List.of(a, b)) {
      store.maintain();
      assertThat(store.beginAdd(batch, "batch").isNew()).isEqualTo(answer);
      assertThatThrownBy(() -> store.beginAdd(batch.subList(1, 9), "batch"))
          .isInstanceOf(ClaimRefusedException.class);
    }
    assertThat(b.addEach(batch)).doesNotContain(true);
  }

  @ParameterizedTest
  @EnumSource
  void addsGoToBothUntilTheNextStandsAlone(Change which) {
    change(which);
    RedisGenerationStore onlyOld = before(List.of());
    RedisGenerationStore onlyNew = after(List.of());
    decided(a);
    decided(b);
    boolean secret = which == Change.SECRET;
    assertThat(onlyNew.check(source.get(0))).isEqualTo(secret ? UNKNOWN : POSSIBLY_PRESENT);

    try (Build build = b.beginBuild(SHAPE)) {
      step();
      marked = true;
      build.awaitSource();
      step();
      assertThatThrownBy(() -> a.beginBuild(SHAPE)).isInstanceOf(BuildRunningException.class);
      for (RedisGenerationStore one : List.of(onlyOld, onlyNew)) {
        if (secret) {
          assertThatThrownBy(() -> one.addAll(List.of("refused")))
              .isInstanceOf(AddFailedException.class)
              .hasMessageContaining("bloomguard.other-hash-secrets");
        } else {
          add(one);
        }
        notDenied(one);
        one.maintain();
        notDenied(one);
      }
      decided(a);
      decided(b);
      build.addAll(source.toArray(new String[0]), source.size());
      step();
      build.publish();
    }
    step();
    decided(b);
    a.maintain();
    b.maintain();
    assertThat(add(a)).isTrue();
    assertThat(add(b)).isTrue();
    decided(a);
    decided(b);
    for (RedisGenerationStore one : List.of(onlyOld, onlyNew)) {
      one.maintain();
      notDenied(one);
    }
    onlyNew.check("1");
    decided(onlyNew);
    assertThat(add(onlyNew)).isTrue();
    if (!secret) {
      decided(onlyOld);
    }
    decided(a);
    assertThat(new String(scheme(0), UTF_8)).doesNotContain("<", ">");
    assertThat(RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*}:next:*")).isEmpty();
    assertThat(a.isBuildDue()).isFalse();
  }

  /** Who wants the change crashes after each of its steps, and others bring it to its end. */
  @ParameterizedTest
  @CsvSource({
    "SECRET,0",
    "SECRET,1",
    "SECRET,2",
    "SECRET,3",
    "SECRET,4",
    "SECRET,5",
    "SECRET,6",
    "SECRET,7",
    "SECRET,8",
    "PARTITIONS,1",
    "PARTITIONS,3",
    "PARTITIONS,5",
    "PARTITIONS,6",
    "PARTITIONS,7",
    "HASH,5"
  })
  void whatACrashLeavesIsEndedByAnother(Change which, int steps) {
    change(which);
    decided(b);
    crashAfter(steps);
    redis.commands().del(key("lock"));

    step();
    step();
    for (int round = 0; round < 5; round++) {
      for (RedisGenerationStore store : List.of(a, b)) {
        store.maintain();
        step();
        if (store.isBuildDue()) {
          try (Build build = store.beginBuild(SHAPE)) {
            buildAll(build);
          }
        }
        step();
      }
    }
    decided(a);
    decided(b);
    assertThat(add(a) && add(b)).isTrue();
    String scheme = new String(scheme(0), UTF_8);
    assertThat(scheme).doesNotContain("<", ">");
    boolean begun = steps >= 3;
    assertThat(scheme.equals(after(List.of()).wantedHashing())).isEqualTo(begun);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(redis.commands().hexists(head(partition), CLOSING)).isFalse();
    }
    a.close();
    b.close();
  }

  /** Copies of a scheme that is not replaced yet after all take leases again. */
  @Test
  void aSchemeIsOpenAgainOnceTheNextOneIsLost() {
    change(Change.SECRET);
    crashAfter(6);
    assertThat(redis.commands().hexists(head(0), CLOSING)).isTrue();
    redis
        .commands()
        .del(
            RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*}:next:*")
                .toArray(byte[][]::new));

    a.check("1");
    a.maintain();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(redis.commands().hexists(head(partition), CLOSING)).isFalse();
    }
  }

  private void crashAfter(int steps) {
    RedisConnections connections = redis.connections();
    SchemeStore from = generations(new String(scheme(0), UTF_8), false, connections, change.before);
    SchemeStore to = generations(after(List.of()).wantedHashing(), true, connections, change.after);
    from.mark(HashScheme.Mark.leaving(from.scheme(), to.scheme()));
    to.mark(HashScheme.Mark.arriving(to.scheme(), from.scheme()));
    SchemeMigration crashing = new SchemeMigration(filter, from, to, Duration.ZERO);
    List<RedisBuild> builds = new ArrayList<>();
    int last = to.partitions().length - 1;
    List<Runnable> all =
        List.of(
            crashing::open,
            () -> builds.add(to.beginImages(null, SHAPE, "crashing")),
            () -> {
              marked = true;
              crashing.await(builds.get(0).token(), () -> false);
            },
            () -> builds.get(0).addAll(source.toArray(new String[0]), source.size()),
            () -> {
              // Nothing moves before what is next is built.
              assertThat(crashing.move(0)).isFalse();
              builds.get(0).publish();
            },
            () -> {
              for (int i = from.partitions().length - 1; i >= 0; i--) {
                redis.commands().hset(head(i), Map.of(CLOSING, "crashed".getBytes(UTF_8)));
              }
            },
            () -> assertThat(crashing.move(last)).isTrue(),
            () -> {
              for (int i = last; i >= 0; i--) {
                assertThat(crashing.move(i)).isTrue();
                step();
              }
            });
    for (Runnable step : all.subList(0, steps)) {
      step.run();
      step();
    }
  }

  private SchemeStore generations(
      String scheme, boolean arriving, RedisConnections to, Limits limits) {
    List<HashSecret> secrets = List.of(change.oldSecret, change.newSecret);
    SchemeContext context =
        SchemeContext.of(secrets, KeyFolding.EXACT, HashScheme.parse(scheme), arriving);
    RedisFilter settings = settings(to, SHAPE);
    return new SchemeStore(settings, context, limits, Clocks.SYSTEM);
  }

  private byte[] scheme(int partition) {
    return redis.commands().hget(head(partition), "hashing".getBytes(UTF_8));
  }

  private byte[] head(int partition) {
    return ("bloomguard:{" + filter + ":" + partition + "}:head").getBytes(UTF_8);
  }

  @Test
  void theSourceIsNotReadBeforeEveryEarlierAddCanHaveCommitted() {
    change(Change.SECRET);
    RedisGenerationStore patient =
        store(
            OTHER,
            List.of(SECRET),
            KeyHash.SIPHASH_1_3,
            second,
            MANY.withLateCommits(Duration.ofHours(1)));
    AtomicBoolean cancelled = new AtomicBoolean(true);
    try (Build build = patient.beginBuild(SHAPE)) {
      build.announce(running(cancelled));
      assertThatThrownBy(build::awaitSource).isInstanceOf(CancellationException.class);
      step();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        age(partition, Duration.ofMinutes(partition == PARTITIONS - 1 ? 59 : 61));
      }
      assertThatThrownBy(build::awaitSource).isInstanceOf(CancellationException.class);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        age(partition, Duration.ofMinutes(61));
      }
      build.awaitSource();
    }
  }

  private void age(int partition, Duration age) {
    long now = System.currentTimeMillis() * 1000;
    String marked = Long.toString(now - age.toNanos() / 1000);
    redis
        .commands()
        .hset(head(partition), Map.of("marked".getBytes(UTF_8), marked.getBytes(UTF_8)));
  }

  private static RunningBuild running(AtomicBoolean cancelled) {
    return new RunningBuild() {
      @Override
      public RebuildProgress progress() {
        return RebuildProgress.NONE;
      }

      @Override
      public void cancel() {}

      @Override
      public boolean cancelled() {
        return cancelled.get();
      }
    };
  }

  /** As after a failover that lost it: a process of the old secret alone may add then. */
  @Test
  void aLostMarkIsPutBackAndWhatWasBuiltMeanwhileIsNotServed() {
    change(Change.SECRET);
    RedisGenerationStore onlyOld = before(List.of());
    byte[] plain = scheme(1);
    marked = true;
    try (Build build = b.beginBuild(SHAPE)) {
      build.awaitSource();
      build.addAll(source.toArray(new String[0]), source.size());
      byte[] head = ("bloomguard:{" + filter + ":1}:head").getBytes(UTF_8);
      redis.commands().hset(head, Map.of("hashing".getBytes(UTF_8), plain));
      List<String> late = numbers(5_000_000, 5_000_200);
      for (String key : late) {
        try {
          onlyOld.addAll(List.of(key));
          acknowledged.add(key);
          source.add(key);
        } catch (AddFailedException e) {
          // Of another partition.
        }
      }
      assertThat(source.size()).isGreaterThan(300);
      b.maintain();
      assertThatThrownBy(build::publish).hasMessageContaining("lost the mark");
    }
    step();
    for (int i = 0; i < 4; i++) {
      a.maintain();
      b.maintain();
      step();
      if (a.isBuildDue()) {
        try (Build build = a.beginBuild(SHAPE)) {
          buildAll(build);
        }
      }
    }
    decided(a);
    decided(b);
    assertThat(scheme(1)).isNotEqualTo(plain);
  }

  /**
   * In real time: a doubt lasts for a second or more by the clock of Redis, which no test can set.
   */
  @Tag("waits")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLossDuringAChangeLosesNoAdd(boolean everything) {
    change(Change.SECRET);
    marked = true;
    try (Build build = b.beginBuild(SHAPE)) {
      build.awaitSource();
      step();
      redis.commands().save();
      step();
    }
    if (everything) {
      redis.commands().flushall();
    } else {
      redis.restartFromDump();
      // As if most of the time were over for which the lost builder's lock is kept.
      redis.commands().pexpire(key("lock"), 500);
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              for (RedisGenerationStore store : List.of(a, b)) {
                store.maintain();
                notDenied(store);
                if (store.isBuildDue()) {
                  try (Build build = store.beginBuild(SHAPE)) {
                    buildAll(build);
                  }
                }
              }
              return redis.commands().exists(key("head")) == 1
                  && !new String(scheme(0), UTF_8).matches(".*[<>].*")
                  && keysOf(a, UNKNOWN).isEmpty()
                  && keysOf(b, UNKNOWN).isEmpty();
            });
    decided(a);
    decided(b);
  }

  @Test
  void aFilterIsFollowedThroughManyChangesWhileAllAddAndAsk() throws Exception {
    change(Change.SECRET);
    AtomicBoolean done = new AtomicBoolean();
    ConcurrentLinkedQueue<String> rows = new ConcurrentLinkedQueue<>(acknowledged);
    ConcurrentLinkedQueue<String> denied = new ConcurrentLinkedQueue<>();
    AtomicInteger possible = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<?>> running = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      RedisGenerationStore writer = thread % 2 == 0 ? a : b;
      RedisGenerationStore reader = thread < 2 ? b : a;
      long base = 10_000_000L * (thread + 1);
      running.add(
          threads.submit(
              () -> {
                for (long i = base; !done.get(); i++) {
                  String key = Long.toString(i);
                  rows.add(key);
                  try {
                    writer.addAll(List.of(key));
                    acknowledged.add(key);
                  } catch (AddFailedException e) {
                    continue;
                  }
                  Membership answer = reader.check(key);
                  if (answer == ABSENT) {
                    denied.add(key);
                  }
                  possible.addAndGet(answer == POSSIBLY_PRESENT ? 1 : 0);
                }
                return null;
              }));
    }
    try {
      for (int round = 0; round < 6; round++) {
        RedisGenerationStore builder = round % 2 == 0 ? b : a;
        try (Build build = builder.beginBuild(SHAPE)) {
          build.awaitSource();
          build.addAll(source.toArray(new String[0]), source.size());
          String[] committed = rows.toArray(new String[0]);
          build.addAll(committed, committed.length);
          build.publish();
        }
        a.maintain();
        b.maintain();
      }
    } finally {
      done.set(true);
    }
    for (Future<?> each : running) {
      each.get();
    }
    threads.shutdown();
    assertThat(denied).isEmpty();
    assertThat(possible.get()).isGreaterThan(100);
    notDenied(a);
    decided(a);
    decided(b);
  }

  @Test
  void aProcessThatSleptThroughAChangeAndBackFollows() {
    change(Change.SECRET);
    RedisGenerationStore sleeper = after(List.of(SECRET));
    marked = true;
    try (Build build = b.beginBuild(SHAPE)) {
      build.awaitSource();
      sleeper.maintain();
      add(sleeper);
      build.addAll(source.toArray(new String[0]), source.size());
      build.publish();
    }
    sleeper.check("1");
    source.addAll(acknowledged);
    a.maintain();
    b.maintain();
    try (Build build = a.beginBuild(SHAPE)) {
      buildAll(build);
    }
    a.maintain();

    notDenied(sleeper);
    add(sleeper);
    notDenied(a);
    sleeper.maintain();
    sleeper.maintain();
    assertThat(add(sleeper)).isTrue();
    a.maintain();
    decided(a);
    decided(sleeper);
  }

  /** The whole way of an operator's request, and of a process that goes on with it. */
  @Test
  void aRequestedRebuildChangesAndAnotherProcessEndsWhatWasCancelled() throws Exception {
    change(Change.SECRET);
    try (Build build = b.beginBuild(SHAPE)) {
      marked = true;
      build.awaitSource();
    }
    step();
    ManagedFilter resuming = managed(a);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              resuming.maintain();
              b.maintain();
              step();
              return new String(scheme(0), UTF_8).equals(b.wantedHashing());
            });
    b.maintain();
    decided(a);
    decided(b);
    assertThat(resuming.lastSuccess().orElseThrow().trigger()).isEqualTo(RebuildTrigger.CHANGE);

    source.addAll(acknowledged);
    resuming.requestRebuild(RebuildTrigger.REQUEST);
    assertThat(new String(scheme(0), UTF_8)).isEqualTo(a.wantedHashing());
    resuming.maintain();
    b.maintain();
    decided(a);
    decided(b);
  }

  private ManagedFilter managed(RedisGenerationStore store) {
    return TestGenerations.managed(
        new FilterSettings(
            filter,
            SHAPE.layout(),
            SHAPE.blockWords(),
            SHAPE.expectedInsertions(),
            SHAPE.falsePositiveProbability(),
            WarmUpMode.BACKGROUND,
            Duration.ZERO,
            0.9,
            0,
            new KeyRules(64),
            RETENTION,
            Duration.ofSeconds(30),
            SourceRules.DEFAULT),
        store,
        sink -> source.forEach(sink::accept),
        Runnable::run,
        InstantSource.system(),
        RebuildListener.NONE);
  }

  /** A process of the old settings that meant to end the change, a moment after another has. */
  @Test
  void whoComesTooLateToEndAChangeDoesNotBeginOneBack() {
    change(Change.HASH);
    try (Build build = b.beginBuild(SHAPE)) {
      build.awaitSource();
      build.addAll(source.toArray(new String[0]), source.size());
      build.publish();
    }
    a.maintain();
    assertThat(new String(scheme(0), UTF_8)).isEqualTo(b.wantedHashing());

    try (Build build = a.beginAsItIs(SHAPE, "run")) {
      build.awaitSource();
      build.addAll(acknowledged.toArray(new String[0]), acknowledged.size());
      build.publish();
    }

    assertThat(new String(scheme(0), UTF_8)).isEqualTo(b.wantedHashing());
    decided(a);
    decided(b);
  }

  /** The head of partition 0 alone says how many there are: the others are missing then. */
  @Test
  void aProcessThatExpectsMorePartitionsMakesNone() {
    change(Change.PARTITIONS);
    for (String key : numbers(7_000_000, 7_000_010)) {
      after(List.of()).addAll(List.of(key));
      acknowledged.add(key);
    }
    decided(a);
    decided(b);
    assertThat(RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*}:head")).hasSize(1);
  }

  @Test
  void withoutASecretNothingIsChanged() {
    change(Change.SECRET);
    RedisGenerationStore onlyNew = after(List.of());
    assertThatThrownBy(() -> onlyNew.beginBuild(SHAPE))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("bloomguard.hash-secret");
    onlyNew.maintain();
    assertThat(onlyNew.status().state()).isEqualTo(FilterState.DOUBTFUL);
    decided(a);
    decided(b);
  }
}
