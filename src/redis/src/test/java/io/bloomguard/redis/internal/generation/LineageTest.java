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
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.internal.SourceRules;
import io.bloomguard.generation.internal.WarmUpMode;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.generation.internal.build.TestGenerations;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Another filter of the same name, secret and shape takes the place of the one in use. In real
 * time: a doubt lasts for a second or more by the clock of Redis, which no test can set.
 */
@Tag("waits")
@ExtendWith(OutputCaptureExtension.class)
class LineageTest extends RedisTestBase {

  private static final List<String> OURS = numbers(0, 100);
  private static final List<String> THEIRS = numbers(1000, 1100);

  private static final Limits LIMITS =
      Limits.USUAL.withGrace(Duration.ofMillis(200)).withLifetime(Duration.ofSeconds(1));

  /** The processes of an environment, and the keys of its database. */
  private record Environment(List<SchemeStore> processes, List<String> rows, int[] builds) {

    SchemeStore one() {
      return processes.get(0);
    }

    /** One round of maintenance: no row is denied, and one process builds what has to be built. */
    boolean serves() {
      boolean decides = true;
      for (SchemeStore process : processes) {
        assertThat(answered(process, rows, ABSENT)).isEmpty();
        process.maintain();
        assertThat(answered(process, rows, ABSENT)).isEmpty();
        decides &= process.check("never") == ABSENT;
        decides &= answered(process, rows, POSSIBLY_PRESENT).size() == rows.size();
      }
      for (SchemeStore process : processes) {
        FilterStatus status = process.status();
        if (status.state() != FilterState.READY && !status.isSettling()) {
          decides = false;
          List<Thread> others =
              processes.stream().filter(o -> o != process).map(RedisTestBase::maintaining).toList();
          try {
            build(process, SHAPE, rows);
            builds[0]++;
          } finally {
            others.forEach(Thread::interrupt);
          }
          break;
        }
      }
      return decides;
    }
  }

  private final List<SchemeStore> open = new ArrayList<>();

  @BeforeEach
  void connected() {
    first.awaitConnected(Duration.ofSeconds(20));
    second.awaitConnected(Duration.ofSeconds(20));
  }

  @Test
  void anotherDatabaseInPlaceOfTheOneInUseIsALoss(CapturedOutput output) {
    Environment ours = environment(OURS, first, second);
    Environment theirs = environment(THEIRS, database1());

    redis.commands().swapdb(0, 1);

    awaitServing(ours, theirs);
    assertThat(ours.builds()[0]).isEqualTo(1);
    assertThat(theirs.builds()[0]).isEqualTo(1);
    assertThat(errors(output)).isEqualTo(3);
  }

  @Tag("thorough")
  @Tag("long")
  @Test
  void anotherDatabaseThatComesAndGoesIsALossEachTime() {
    Environment ours = environment(OURS, first, second);
    Environment theirs = environment(THEIRS, database1());
    for (int i = 0; i < 3; i++) {
      redis.commands().swapdb(0, 1);
      awaitServing(ours, theirs);
      assertThat(ours.builds()[0]).as("builds after swap %d", i).isEqualTo(i + 1);
    }
  }

  /** The others have built there meanwhile. */
  @Test
  void theOwnDatabaseThatComesBackBeforeTheBuildIsALoss() {
    Environment ours = environment(OURS, first, second);
    Environment theirs = environment(THEIRS, database1());
    redis.commands().swapdb(0, 1);
    ours.processes().forEach(SchemeStore::maintain);
    awaitServing(theirs);
    redis.commands().swapdb(0, 1);

    awaitServing(ours, theirs);
  }

  /** A name that leads processes of both to one Redis. */
  @Test
  void twoEnvironmentsInOnePlaceDoNotTakeTurns() {
    SchemeStore theirs = environment(OURS, first).one();
    Map<byte[], byte[]> dump = dump();
    dump.keySet().forEach(redis.commands()::del);
    SchemeStore ours = environment(OURS, second).one();

    restore(dump);

    Environment both = new Environment(List.of(ours, theirs), OURS, new int[1]);
    awaitServing(both);
    both.processes().forEach(SchemeStore::maintain);
    awaitServing(both);
    assertThat(both.builds()[0]).isEqualTo(1);
  }

  @Test
  void aHeadThatGoesBackToAnEarlierGenerationIsALoss(CapturedOutput output) {
    Environment ours = environment(List.of("old"), first, second);
    Map<byte[], byte[]> dump = dump();
    build(ours.one(), SHAPE, OURS);
    ours.processes().forEach(SchemeStore::maintain);

    restore(dump);
    // A process without a memory takes the partition as it is, and advances its beats.
    SchemeStore newcomer = process(redis.connections());
    newcomer.maintain();
    newcomer.maintain();

    Environment after =
        new Environment(List.of(ours.one(), ours.processes().get(1)), OURS, new int[1]);
    awaitServing(after);
    assertThat(after.builds()[0]).isEqualTo(1);
    assertThat(errors(output)).isBetween(1L, 2L);
  }

  @Test
  void threeProcessesBuildOnceAfterAFlush(CapturedOutput output) {
    Environment ours = environment(OURS, first, second, redis.connections());

    redis.commands().flushall();

    awaitServing(ours);
    assertThat(ours.builds()[0]).isEqualTo(1);
    ours.processes().forEach(SchemeStore::maintain);
    awaitServing(ours);
    assertThat(ours.builds()[0]).as("no more").isEqualTo(1);
    assertThat(errors(output)).isEqualTo(3);
  }

  /** It was away while the others met the new filter and built it. */
  @Test
  void aProcessThatComesLateBelievesTheBuildOfTheOthers(CapturedOutput output) {
    Environment ours = environment(OURS, first, second, redis.connections());
    SchemeStore late = ours.processes().get(2);
    late.addAll(List.of("late"));
    redis.commands().flushall();
    Environment awake = new Environment(ours.processes().subList(0, 2), OURS, ours.builds());
    awaitServing(awake);

    awaitServing(ours);
    assertThat(ours.builds()[0]).isEqualTo(1);
    assertThat(late.check("late")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(errors(output)).isEqualTo(3);
  }

  @Test
  void aRollbackIsNoLoss(CapturedOutput output) {
    Environment ours = environment(OURS, first, second);
    build(ours.one(), SHAPE, OURS);
    ours.processes().forEach(SchemeStore::maintain);

    assertThat(ours.one().rollback()).isTrue();

    assertThat(ours.serves()).isTrue();
    assertThat(ours.builds()[0]).isZero();
    assertThat(output).doesNotContain("ERROR");
  }

  @Test
  void aFreshDumpOfOnesOwnNeedsNoBuild(CapturedOutput output) {
    Environment ours = environment(OURS, first, second);
    Map<byte[], byte[]> dump = dump();
    ours.one().addAll(List.of("added"));

    restore(dump);

    awaitServing(ours);
    assertThat(ours.processes().get(1).check("added")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(ours.builds()[0]).isZero();
    assertThat(output).doesNotContain("ERROR");
  }

  /** Version 0.9.0 draws no lineage, and keeps fields that it does not know. */
  @Test
  void aHeadWithoutALineageGetsOneAndIsNoLoss(CapturedOutput output) {
    Environment ours = environment(OURS, first);
    redis.commands().hdel(key("head"), "lineage".getBytes(UTF_8), "swaps".getBytes(UTF_8));

    SchemeStore a = process(second);
    SchemeStore b = process(redis.connections());
    a.maintain();
    byte[] drawn = redis.commands().hget(key("head"), "lineage".getBytes(UTF_8));
    b.maintain();

    assertThat(redis.commands().hget(key("head"), "lineage".getBytes(UTF_8))).isEqualTo(drawn);
    assertThat(drawn).isNotEmpty();
    Environment upgraded = new Environment(List.of(a, b), OURS, ours.builds());
    assertThat(upgraded.serves()).isTrue();
    assertThat(ours.builds()[0]).isZero();
    assertThat(output).doesNotContain("ERROR");
  }

  @Test
  void aFilterThatCannotBeBuiltIsUnknownUntilAnOperatorBelievesIt() {
    SchemeStore ours = store(settings(first, SHAPE), LIMITS);
    SchemeStore theirs = store(settings(database1(), SHAPE), LIMITS);
    for (SchemeStore each : List.of(ours, theirs)) {
      each.serveEmpty(SHAPE);
      each.maintain();
      await().until(() -> maintained(each).check("never") == ABSENT);
    }
    ours.addAll(List.of("ours"));

    redis.commands().swapdb(0, 1);

    await().during(Duration.ofMillis(800)).until(() -> maintained(ours).check("never") == UNKNOWN);
    assertThat(ours.status().state()).isEqualTo(FilterState.DOUBTFUL);
    assertThat(ours.warnings()).singleElement().asString().contains("force");
    ours.believe();
    await().until(() -> maintained(ours).check("never") == ABSENT);
    assertThat(ours.check("ours")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(ours.warnings()).isEmpty();
  }

  /** After a flush there is nothing to believe: it begins with what its processes have added. */
  @Test
  void aFilterOfAddedKeysThatLostAllBeginsAgainAtTheWordOfAnOperator() {
    SchemeStore store = store(settings(first, SHAPE), LIMITS);
    ManagedFilter ours = managed(store, null, new SourceRules(true, 1, 0.5));
    ours.start();
    await().until(() -> maintained(store).check("never") == ABSENT);
    store.addAll(List.of("added"));

    redis.commands().flushall();
    await().during(Duration.ofMillis(800)).until(() -> unknown(ours, store));
    ours.believe();

    await().until(() -> maintained(store).check("never") == ABSENT);
    assertThat(store.check("added")).isEqualTo(POSSIBLY_PRESENT);
  }

  /** The others keep what they have: their keys may be older than what processes retain. */
  @Test
  void onePartitionThatIsLostBeginsAgainAtTheWordOfAnOperator() {
    Limits parts = LIMITS.withMaxImageBytes(48 << 10);
    SchemeStore store = store(settings(first, SHAPE), parts);
    assertThat(store.partitions().length).isGreaterThan(2);
    ManagedFilter ours = managed(store, null, new SourceRules(true, 1, 0.5));
    ours.start();
    List<String> never = numbers(0, 100);
    await().until(() -> answered(maintained(store), never, ABSENT).size() == never.size());
    List<String> added = numbers(1_000, 1_100);
    store.addAll(added);

    List<byte[]> lost = RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":1}:*");
    redis.commands().del(lost.toArray(byte[][]::new));
    await()
        .during(Duration.ofMillis(800))
        .until(
            () -> {
              ours.maintain();
              return !answered(store, never, UNKNOWN).isEmpty();
            });
    byte[] kept = RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":0}:image:*").get(0);
    ours.believe();

    await().until(() -> answered(maintained(store), never, ABSENT).size() == never.size());
    assertThat(store.checkAll(added)).containsOnly(POSSIBLY_PRESENT);
    assertThat(RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":0}:image:*"))
        .singleElement()
        .isEqualTo(kept);
    assertThat(redis.commands().exists(key("lock"))).isZero();
    SchemeStore next = store(settings(second, SHAPE), parts);
    await().until(() -> answered(maintained(next), never, ABSENT).size() == never.size());
    build(store, SHAPE, added);
    assertThat(maintained(next).checkAll(added)).containsOnly(POSSIBLY_PRESENT);
  }

  /** A start is no word of an operator: an empty generation would deny what the others had. */
  @Test
  void aStartDoesNotBeginAFilterOfAddedKeysAgainThatAnotherProcessKnew() {
    SchemeStore store = store(settings(first, SHAPE), LIMITS);
    ManagedFilter ours = managed(store, null, new SourceRules(true, 1, 0.5));
    ours.start();
    await().until(() -> maintained(store).check("never") == ABSENT);

    redis.commands().flushall();
    // It makes the head.
    store.addAll(List.of("added"));
    SchemeStore next = store(settings(second, SHAPE), LIMITS);
    ManagedFilter started = managed(next, null, new SourceRules(true, 1, 0.5));
    started.start();

    await()
        .during(Duration.ofMillis(800))
        .until(() -> unknown(ours, store) && unknown(started, next));
    assertThat(started.warnings()).anyMatch(warning -> warning.contains("force"));
    ours.believe();
    await()
        .until(
            () ->
                maintained(store).check("never") == ABSENT
                    && maintained(next).check("never") == ABSENT);
    assertThat(next.check("added")).isEqualTo(POSSIBLY_PRESENT);
  }

  private static boolean unknown(ManagedFilter filter, SchemeStore store) {
    filter.maintain();
    return store.check("never") == UNKNOWN;
  }

  @Test
  void aProcessWithAnotherDatabaseWarnsOnce(CapturedOutput output) {
    SchemeStore production = process(first);
    production.comesFrom("shop/public/1");
    try (GenerationStore.Build build = production.beginBuild(SHAPE)) {
      build.comesFrom("shop/public/1");
      build.publish();
    }
    production.maintain();
    SchemeStore updated = process(second);
    updated.comesFrom("shop/public/1");
    updated.maintain();
    assertThat(output).doesNotContain("another database");
    assertThat(redis.commands().hvals(key("head")))
        .noneMatch(value -> new String(value, UTF_8).contains("shop"));

    SchemeStore staging = process(second);
    staging.comesFrom("shop/public/2");
    staging.maintain();
    staging.maintain();

    assertThat(output.toString().lines().filter(line -> line.contains("another database")))
        .singleElement()
        .asString()
        .contains("'" + filter + "'", "give each environment a key-prefix or a secret of its own");
  }

  @Test
  void aBuildKeepsTheDatabaseOfItsSourceAndAStartComparesIt(CapturedOutput output) {
    ManagedFilter here = filter(first, "shop/public/1");
    here.start();
    await().until(() -> here.lastSuccess().isPresent());
    ManagedFilter updated = filter(second, "shop/public/1");
    updated.start();
    updated.maintain();
    assertThat(output).doesNotContain("another database");

    ManagedFilter staging = filter(second, "shop/public/2");
    staging.start();
    await()
        .untilAsserted(
            () -> {
              staging.maintain();
              assertThat(output).contains("another database");
            });
  }

  private ManagedFilter filter(RedisConnections connections, String database) {
    KeySource source =
        new KeySource() {
          @Override
          public void forEach(KeySink sink) {
            sink.accept(1);
          }

          @Override
          public String identity() {
            return database;
          }
        };
    return managed(store(connections), source, SourceRules.DEFAULT);
  }

  private ManagedFilter managed(SchemeStore store, @Nullable KeySource source, SourceRules rules) {
    return TestGenerations.managed(
        TestGenerations.settings(
            filter,
            Layout.BLOCKED,
            20_000,
            1e-9,
            WarmUpMode.BACKGROUND,
            Duration.ZERO,
            0.6,
            0,
            new KeyRules(256),
            rules),
        store,
        source,
        Runnable::run,
        InstantSource.system(),
        RebuildListener.NONE);
  }

  /** An older version builds without it, and a source may not tell. */
  @Test
  void aSourceThatIsNotKnownIsNotCompared(CapturedOutput output) {
    Environment ours = environment(OURS, first);
    ours.one().comesFrom("shop/public/1");
    ours.one().maintain();
    assertThat(output).doesNotContain("another database");
  }

  private static SchemeStore maintained(SchemeStore process) {
    process.maintain();
    return process;
  }

  private Environment environment(List<String> rows, RedisConnections... connections) {
    List<SchemeStore> processes = new ArrayList<>();
    for (RedisConnections each : connections) {
      processes.add(process(each));
    }
    SchemeStore alone = store(connections[0], SHAPE, AT_ONCE);
    build(alone, SHAPE, rows);
    alone.close();
    Environment made = new Environment(processes, rows, new int[1]);
    awaitServing(made);
    assertThat(made.builds()[0]).isZero();
    return made;
  }

  private SchemeStore process(RedisConnections connections) {
    SchemeStore process = store(settings(connections, SHAPE), LIMITS);
    process.refillAfterLoss(true, since -> {});
    open.add(process);
    return process;
  }

  private RedisConnections database1() {
    return redis.connections(Duration.ofSeconds(5), 1);
  }

  private static void awaitServing(Environment... environments) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              boolean all = true;
              for (Environment each : environments) {
                all &= each.serves();
              }
              return all;
            });
  }

  private static long errors(CapturedOutput output) {
    return output.toString().lines().filter(line -> line.contains("ERROR")).count();
  }

  private Map<byte[], byte[]> dump() {
    Map<byte[], byte[]> dump = new HashMap<>();
    for (byte[] key : List.of(image(), key("head"), key("journal"), key("writers"))) {
      dump.put(key, redis.commands().dump(key));
    }
    return dump;
  }

  private void restore(Map<byte[], byte[]> dump) {
    redis
        .commands()
        .eval(
            "for i = 1, #KEYS do redis.call('DEL', KEYS[i]) if ARGV[i] ~= '' then"
                + " redis.call('RESTORE', KEYS[i], 0, ARGV[i]) end end return 1",
            ScriptOutputType.INTEGER,
            dump.keySet().toArray(new byte[0][]),
            dump.values().stream().map(v -> v == null ? new byte[0] : v).toArray(byte[][]::new));
  }
}
