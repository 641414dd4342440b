package io.bloomguard.redis.internal.store;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore.Build;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
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
import io.lettuce.core.RestoreArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Redis loses a part of a filter while its scheme changes, or of what the change has done. In real
 * time: a doubt lasts for a second or more by the clock of Redis, which no test can set.
 */
@Tag("waits")
class SchemeMigrationLossTest extends RedisTestBase {

  private static final HashSecret OTHER = HashSecret.parse("ffeeddccbbaa99887766554433221100");

  /** So that the shape of the tests has five partitions. */
  private static final Limits MANY =
      AT_ONCE
          .withLateCommits(Duration.ZERO)
          .withMaxImageBytes(50_000)
          .withLifetime(Duration.ofSeconds(2));

  private static final int LAST = 4;

  private final List<String> source = new ArrayList<>();
  private RedisGenerationStore a;
  private RedisGenerationStore b;
  private SchemeStore from;
  private SchemeStore to;
  private SchemeMigration change;

  @BeforeEach
  void begin() {
    source.clear();
    source.addAll(numbers(1_000_000, 1_000_300));
    a = store(SECRET, List.of(OTHER), first, MANY);
    b = store(OTHER, List.of(SECRET), second, MANY);
    build(a, SHAPE, source);
    decided(a);
    decided(b);
  }

  private RedisGenerationStore store(
      HashSecret secret, List<HashSecret> others, RedisConnections connections, Limits limits) {
    RedisGenerationStore store =
        new RedisGenerationStore(
            settings(connections, SHAPE),
            secret,
            others,
            KeyHash.SIPHASH_1_3,
            KeyFolding.EXACT,
            limits);
    store.refillAfterLoss(true, since -> {});
    return store;
  }

  /** The steps of a change by a process that may stop after each. */
  private void crashing() {
    HashScheme before = HashScheme.parse(scheme(0));
    HashScheme after = HashScheme.parse(b.wantedHashing());
    from = generations(before, false);
    to = generations(after, true);
    from.mark(HashScheme.Mark.leaving(before, after));
    to.mark(HashScheme.Mark.arriving(after, before));
    change = new SchemeMigration(filter, from, to, Duration.ZERO);
    change.open();
  }

  private SchemeStore generations(HashScheme scheme, boolean arriving) {
    SchemeContext context =
        SchemeContext.of(List.of(SECRET, OTHER), KeyFolding.EXACT, scheme, arriving);
    RedisFilter settings = settings(redis.connections(), SHAPE);
    return new SchemeStore(settings, context, MANY, Clocks.SYSTEM);
  }

  /** A registered build, to which every later add goes too. */
  private RedisBuild marked() {
    crashing();
    RedisBuild build = to.beginImages(null, SHAPE, "run");
    change.mark(build.token());
    step();
    return build;
  }

  private void built() {
    try (RedisBuild build = marked()) {
      fill(build);
    }
    step();
  }

  private void fill(Build build) {
    build.addAll(source.toArray(new String[0]), source.size());
    build.publish();
  }

  /** Both processes add, and nobody is denied anything. */
  private void step() {
    for (RedisGenerationStore store : List.of(a, b)) {
      List<String> added = numbers(source.size(), source.size() + 20);
      source.addAll(added);
      store.addAll(added);
    }
    notDenied(a);
    notDenied(b);
  }

  private void notDenied(RedisGenerationStore store) {
    assertThat(keysOf(store, ABSENT)).isEmpty();
    source.stream().limit(20).forEach(k -> assertThat(store.check(k)).isNotEqualTo(ABSENT));
  }

  private List<String> keysOf(RedisGenerationStore store, Membership answer) {
    return answered(store, source, answer);
  }

  private void decided(RedisGenerationStore store) {
    assertThat(keysOf(store, ABSENT)).isEmpty();
    assertThat(keysOf(store, UNKNOWN)).isEmpty();
    assertThat(store.check("never")).isEqualTo(ABSENT);
    assertThat(store.status().state()).isEqualTo(FilterState.READY);
  }

  private String scheme(int partition) {
    return new String(redis.commands().hget(head(partition), "hashing".getBytes(UTF_8)), UTF_8);
  }

  private byte[] head(int partition) {
    return ("bloomguard:{" + filter + ":" + partition + "}:head").getBytes(UTF_8);
  }

  private byte[] nextHead(int partition) {
    return ("bloomguard:{" + filter + ":" + partition + "}:next:head").getBytes(UTF_8);
  }

  /** All keys of a partition, or of all of them. */
  private Map<String, byte[]> dump(String partition) {
    Map<String, byte[]> dump = new TreeMap<>();
    for (byte[] key :
        RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":" + partition + "}:*")) {
      dump.put(new String(key, UTF_8), redis.commands().dump(key));
    }
    return dump;
  }

  private void restoreAsItWas(String partition, Map<String, byte[]> dump) {
    RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":" + partition + "}:*")
        .forEach(key -> redis.commands().del(key));
    dump.forEach(
        (key, value) ->
            redis.commands().restore(key.getBytes(UTF_8), value, new RestoreArgs().ttl(0)));
  }

  private void restore(String partition, Map<String, byte[]> dump) {
    restoreAsItWas(partition, dump);
    // It was another server that has shown it.
    byte[] server = "server".getBytes(UTF_8);
    for (byte[] key :
        RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":" + partition + "}:*head")) {
      redis
          .commands()
          .hset(
              key,
              Map.of(
                  server,
                  "another".getBytes(UTF_8),
                  "epoch".getBytes(UTF_8),
                  "another:1".getBytes(UTF_8)));
    }
  }

  /** As managed filters do. */
  private void maintain(int rounds, RedisGenerationStore... stores) {
    for (int round = 0; round < rounds; round++) {
      for (RedisGenerationStore store : stores) {
        store.maintain();
        notDenied(store);
        boolean lost =
            store.status().state() == FilterState.DOUBTFUL && !store.status().isSettling();
        if (store.isBuildDue() || lost) {
          try (Build build = store.beginBuild(SHAPE)) {
            build.awaitSource();
            build.addAll(source.toArray(new String[0]), source.size());
            build.publish();
          } catch (StoreUnavailableException | BuildRunningException e) {
            // It is tried again.
          }
        }
        notDenied(store);
      }
    }
  }

  /** So many adds that both are writers of every partition. */
  private void many() {
    for (int i = 0; i < 3; i++) {
      step();
    }
  }

  private void settled() {
    await()
        .atMost(Duration.ofSeconds(45))
        .until(
            () -> {
              maintain(1, a, b);
              return !scheme(0).matches(".*[<>].*")
                  && keysOf(a, UNKNOWN).isEmpty()
                  && keysOf(b, UNKNOWN).isEmpty();
            });
  }

  private static RunningBuild cancelled() {
    return new RunningBuild() {
      @Override
      public RebuildProgress progress() {
        return RebuildProgress.NONE;
      }

      @Override
      public void cancel() {}

      @Override
      public boolean cancelled() {
        return true;
      }
    };
  }

  /** Keys of rows that commit late were in its journal alone, as far as it is concerned. */
  @ParameterizedTest
  @ValueSource(ints = {0, LAST})
  void whatTheNextHashingLostIsWaitedForAgain(int partition) {
    RedisGenerationStore patient =
        store(OTHER, List.of(SECRET), second, MANY.withLateCommits(Duration.ofHours(1)));
    try (Build build = patient.beginBuild(SHAPE)) {
      build.announce(cancelled());
      assertThatThrownBy(build::awaitSource).isInstanceOf(CancellationException.class);
    }
    String longAgo = Long.toString((System.currentTimeMillis() - 2 * 3_600_000) * 1000);
    for (int i = 0; i <= LAST; i++) {
      redis.commands().hset(head(i), Map.of("marked".getBytes(UTF_8), longAgo.getBytes(UTF_8)));
    }
    try (Build build = patient.beginBuild(SHAPE)) {
      build.announce(cancelled());
      build.awaitSource();
    }
    redis.commands().del(nextHead(partition));
    patient.maintain();
    try (Build build = patient.beginBuild(SHAPE)) {
      build.announce(cancelled());
      assertThatThrownBy(build::awaitSource).isInstanceOf(CancellationException.class);
    }
  }

  /** As after a failover to a server that has not heard of it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anArrivalThatRedisLosesIsSeenByAll(boolean built) {
    many();
    if (built) {
      built();
      redis.commands().save();
    } else {
      try (RedisBuild build = marked()) {
        many();
        redis.commands().save();
        fill(build);
      }
    }
    assertThat(change.move(LAST)).isTrue();
    step();
    redis.restartFromDump();
    // The right of the build that the dump has lasts for half a minute.
    redis.commands().del(("bloomguard:{" + filter + ":0}:lock").getBytes(UTF_8));

    settled();
    decided(a);
    decided(b);
    step();
  }

  /** As one master of a cluster that starts from an old dump; {@code *} is all of them. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "3", "*"})
  void aPartitionOfBeforeTheChangeIsChangedAgain(String partition) {
    many();
    Map<String, byte[]> before = dump(partition);
    try (Build build = b.beginBuild(SHAPE)) {
      build.awaitSource();
      build.addAll(source.toArray(new String[0]), source.size());
      build.publish();
    }
    maintain(2, a, b);
    step();
    restore(partition, before);

    settled();
    decided(a);
    decided(b);
    step();
  }

  /** By another program, on the server that has shown the scheme that follows. */
  @Test
  void aSchemeThatComesBackDeniesNothingThatTheNextOneHas() {
    many();
    Map<String, byte[]> before = dump("*");
    try (Build build = b.beginBuild(SHAPE)) {
      build.awaitSource();
      fill(build);
    }
    maintain(2, a, b);
    many();
    restoreAsItWas("*", before);
    notDenied(a);
    notDenied(b);

    settled();
    decided(a);
    decided(b);
  }

  @Test
  void aFilterWithoutItsFirstPartitionIsNotBegunUnderAnotherHashing() {
    RedisGenerationStore onlyNew = store(OTHER, List.of(), first, MANY);
    onlyNew.maintain();
    redis.commands().del(head(0));
    addAny(onlyNew, 3_000_000);
    notDenied(a);
    notDenied(b);
  }

  @Test
  void aHeadThatIsLostOnTheWayIsNotBegunAloneByThoseWhoKnow() {
    built();
    RedisGenerationStore onlyNew = store(OTHER, List.of(), first, MANY);
    onlyNew.maintain();
    assertThat(change.move(LAST)).isTrue();
    step();
    redis.commands().del(head(LAST));
    a.maintain();
    addAny(onlyNew, 3_000_000);
    notDenied(a);
    notDenied(b);
  }

  @Test
  void whatHasArrivedDeniesNothingForAPartitionThatHasLostItsMark() {
    built();
    RedisGenerationStore onlyOld = store(SECRET, List.of(), first, MANY);
    onlyOld.maintain();
    assertThat(change.move(LAST)).isTrue();
    step();
    redis.commands().del(head(0));
    addAny(onlyOld, 3_000_000);
    notDenied(a);
    notDenied(b);
  }

  private void addAny(RedisGenerationStore store, long from) {
    for (String key : numbers(from, from + 200)) {
      try {
        store.addAll(List.of(key));
        source.add(key);
      } catch (AddFailedException e) {
        // It was not acknowledged.
      }
    }
  }

  /** Which may have lost its mark, and got it back from a process that built nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"marked", "marked-for"})
  void whatWasBuiltForAnotherMarkIsBuiltAgain(String field) {
    built();
    String another = Long.toString(System.currentTimeMillis() * 1000);
    redis.commands().hset(head(3), Map.of(field.getBytes(UTF_8), another.getBytes(UTF_8)));
    assertThat(change.move(3)).isFalse();
    a.maintain();
    a.maintain();
    assertThat(a.isBuildDue()).isTrue();
    assertThat(scheme(LAST)).contains(">");

    maintain(3, a, b);
    decided(a);
    decided(b);
    assertThat(scheme(0)).isEqualTo(b.wantedHashing());
  }

  /** What is next has everything, and needs no other build. */
  @Test
  void aDoubtAboutWhatIsNextIsWaitedFor() {
    built();
    byte[] beat = redis.commands().hget(nextHead(3), "beat".getBytes(UTF_8));
    redis.commands().hset(nextHead(3), Map.of("since".getBytes(UTF_8), beat));
    redis.commands().hdel(nextHead(3), "epoch".getBytes(UTF_8));
    assertThat(change.move(3)).isFalse();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              a.maintain();
              notDenied(a);
              assertThat(a.isBuildDue()).isFalse();
              return scheme(0).equals(b.wantedHashing());
            });
    b.maintain();
    decided(a);
    decided(b);
  }

  /** As version 0.9.0 leaves them: it notes in each head that what is next was built. */
  @Test
  void whatAnEarlierVersionHasBuiltIsBuiltAgain() {
    built();
    for (int i = 0; i <= LAST; i++) {
      byte[] marked = redis.commands().hget(head(i), "marked".getBytes(UTF_8));
      redis.commands().hdel(head(i), "marked-for".getBytes(UTF_8));
      redis
          .commands()
          .hset(
              head(i), Map.of("ready".getBytes(UTF_8), marked, "closing".getBytes(UTF_8), marked));
    }
    assertThat(change.move(LAST)).isFalse();
    step();
    maintain(3, a, b);
    decided(a);
    decided(b);
    assertThat(scheme(0)).isEqualTo(b.wantedHashing());
  }

  /** The partition count was fixed when the change began. */
  @Test
  void aChangeIsEndedThoughMoreKeysAreExpectedMeanwhile() {
    marked().close();
    FilterShape larger = Sizing.shape(Layout.BLOCKED, 40_000, 1e-9);
    try (Build build = b.beginBuild(larger)) {
      build.awaitSource();
      build.addAll(source.toArray(new String[0]), source.size());
      build.publish();
    }
    maintain(2, a, b);
    decided(a);
    decided(b);
    assertThat(scheme(0)).isEqualTo(b.wantedHashing());
  }
}
