package io.bloomguard.redis.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.generation.internal.FeedRecord.OwnWrite;
import io.bloomguard.generation.internal.feed.FeedRecordContractTest;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.TestRedisFilters;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.lettuce.core.ScoredValue;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The record of a feed in the head, as two processes see it. */
@Tag("redis")
class RedisFeedRecordTest extends FeedRecordContractTest {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final Limits NOW =
      RedisTestBase.AT_ONCE.withLateCommits(Duration.ZERO).withLockLifetime(Duration.ofSeconds(5));

  private static EmbeddedRedis redis;
  private static RedisConnections first;
  private static RedisConnections second;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    first = redis.connections();
    second = redis.connections();
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
  }

  private static RedisGenerationStore store(
      String filter, RedisConnections connections, KeyFolding folding) {
    RedisGenerationStore store =
        new RedisGenerationStore(
            TestRedisFilters.filter(
                filter,
                RedisTestBase.SHAPE,
                connections,
                "bloomguard",
                RedisTestBase.RETENTION,
                null),
            RedisTestBase.SECRET,
            List.of(),
            KeyHash.SIPHASH_1_3,
            folding,
            NOW);
    store.refillAfterLoss(true, since -> {});
    return store;
  }

  private static void build(GenerationStore store) {
    try (GenerationStore.Build build = store.beginBuild(RedisTestBase.SHAPE)) {
      build.awaitSource();
      build.publish();
    }
  }

  private static String name() {
    return "feed-" + NAMES.incrementAndGet();
  }

  @Override
  protected FeedRecord newRecord() {
    RedisGenerationStore store = store(name(), first, KeyFolding.EXACT);
    build(store);
    return store.feedRecord();
  }

  @Test
  void everyProcessSeesIt() {
    String filter = name();
    RedisGenerationStore one = store(filter, first, KeyFolding.EXACT);
    build(one);
    FeedRecord other = store(filter, second, KeyFolding.EXACT).feedRecord();
    long reader = one.feedRecord().claim().reader();
    one.feedRecord().begin(reader, "0:5");
    assertThat(other.read().position()).isEqualTo("0:5");
    assertThat(other.claim().reader()).isGreaterThan(reader);
    assertThat(one.feedRecord().advance(reader, "0:6", null)).isNull();
  }

  /** Beyond the bound nothing is noted, and no note lasts for longer than its key. */
  @Test
  void notesOfOwnWritesAreBounded() {
    String filter = name();
    FeedRecord record = store(filter, first, KeyFolding.EXACT).feedRecord();
    byte[] notes = ("bloomguard:{" + filter + ":0}:own").getBytes(UTF_8);
    ScoredValue<byte[]>[] many =
        IntStream.range(0, FeedRecord.MOST_OWN)
            .mapToObj(i -> ScoredValue.just(9e15, Integer.toString(i).getBytes(UTF_8)))
            .toArray(ScoredValue[]::new);
    redis.commands().zadd(notes, many);
    record.noteOwn(Set.of(new OwnWrite("7", "a", true)));
    assertThat(record.own(Set.of(new OwnWrite("7", "a", true)))).isEmpty();
    assertThat(redis.commands().zcard(notes)).isEqualTo(FeedRecord.MOST_OWN);

    redis.commands().zpopmin(notes);
    record.noteOwn(Set.of(new OwnWrite("7", "a", true)));
    assertThat(record.own(Set.of(new OwnWrite("7", "a", true)))).hasSize(1);
    assertThat(redis.commands().pttl(notes)).isBetween(1L, FeedRecord.OWN_FOR.toMillis());
  }

  @Test
  void withoutAHeadThereIsNoFeed() {
    FeedRecord record = store(name(), first, KeyFolding.EXACT).feedRecord();
    assertThat(record.read()).isEqualTo(FeedRecord.Entry.NONE);
    assertThatThrownBy(record::claim).isInstanceOf(StoreUnavailableException.class);
    assertThat(record.begin(1, "0:1")).isNull();
  }

  /** The content is lost, and so is what was known of it. */
  @Test
  void aLostHeadTakesItAlong() {
    String filter = name();
    RedisGenerationStore store = store(filter, first, KeyFolding.EXACT);
    build(store);
    FeedRecord record = store.feedRecord();
    long reader = record.claim().reader();
    record.begin(reader, "0:5");
    record.built(record.read().begun());
    redis.commands().del(("bloomguard:{" + filter + ":0}:head").getBytes(UTF_8));
    assertThat(record.advance(reader, "0:6", Duration.ZERO)).isNull();
    build(store);
    assertThat(record.read()).isEqualTo(FeedRecord.Entry.NONE);
    assertThat(record.claim().reader()).isGreaterThan(reader);
  }

  /** It may be older there, and so are the values: changes since must come once more. */
  @Test
  void noReadingGoesOnAtAnotherServer() throws Exception {
    try (EmbeddedRedis restarted = new EmbeddedRedis()) {
      RedisGenerationStore store = store(name(), restarted.connections(), KeyFolding.EXACT);
      build(store);
      FeedRecord record = store.feedRecord();
      long reader = record.claim().reader();
      record.begin(reader, "0:5");
      restarted.commands().save();
      record.advance(reader, "0:9", null);
      restarted.restartFromDump();
      Awaitility.await()
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(record.read().position()).isEqualTo("0:5"));

      assertThatThrownBy(() -> record.advance(reader, "0:10", null))
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(record.claim().position()).isEqualTo("0:5");
    }
  }

  @Test
  void aRebuildKeepsIt() {
    RedisGenerationStore store = store(name(), first, KeyFolding.EXACT);
    build(store);
    FeedRecord record = store.feedRecord();
    record.begin(record.claim().reader(), "0:5");
    build(store);
    assertThat(record.read().position()).isEqualTo("0:5");
  }

  /** The next scheme has every add of the feed since its build began. */
  @Test
  void aSchemeMigrationKeepsIt() {
    String filter = name();
    RedisGenerationStore exact = store(filter, first, KeyFolding.EXACT);
    build(exact);
    FeedRecord record = exact.feedRecord();
    record.begin(record.claim().reader(), "0:5");
    RedisGenerationStore folded = store(filter, second, KeyFolding.parse("lower.none.none"));
    build(folded);
    folded.maintain();
    assertThat(
            redis
                .commands()
                .hget(
                    ("bloomguard:{" + filter + ":0}:head").getBytes(UTF_8),
                    "hashing".getBytes(UTF_8)))
        .asString(UTF_8)
        .contains("lower");
    assertThat(folded.feedRecord().read().position()).isEqualTo("0:5");
  }
}
