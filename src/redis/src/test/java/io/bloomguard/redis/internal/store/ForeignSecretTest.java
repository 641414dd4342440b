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
import io.bloomguard.filter.UnkeyedHash;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore.Build;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisFilter;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.generation.SchemeContext;
import io.bloomguard.redis.internal.generation.SchemeStore;
import io.bloomguard.redis.internal.partition.Clocks;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes of unequal hash secrets, when Redis loses what it holds. */
class ForeignSecretTest extends RedisTestBase {

  private static final HashSecret OTHER = HashSecret.parse("ffeeddccbbaa99887766554433221100");

  /** A process that is gone is waited for, but not for long. */
  private static final Limits QUICK = AT_ONCE.withLifetime(Duration.ofSeconds(2));

  @Test
  void aProcessThatStartsAfterALossServesWhatTheOneThatLivedThroughItAdds() {
    SchemeStore a = store(first, SECRET);
    build(a, SHAPE, List.of("a", "b"));

    redis.commands().flushall();
    a.addAll(List.of("c"));
    SchemeStore b = store(second, SECRET);
    build(b, SHAPE, List.of("a", "b"));

    assertThat(b.checkAll(List.of("a", "b", "c"))).containsOnly(POSSIBLY_PRESENT);
    assertThat(b.check("never")).isEqualTo(ABSENT);
    b.addAll(List.of("d"));
    List<String> added = List.of("c", "d");
    // What the process adds again after the loss goes on a thread of its own.
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              a.maintain();
              return answered(a, added, POSSIBLY_PRESENT).equals(added);
            });
  }

  @Test
  void aProcessOfAnotherSecretIsUnknownAndSaysWhatToDo() {
    SchemeStore a = store(first, SECRET);
    build(a, SHAPE, List.of("a"));
    redis.commands().flushall();
    SchemeStore b = store(second, OTHER);
    build(b, SHAPE, List.of("a"));

    assertThat(a.checkAll(List.of("a", "never"))).containsOnly(UNKNOWN);
    assertThatThrownBy(() -> a.addAll(List.of("c")))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("bloomguard.hash-secret");
    assertThatThrownBy(() -> a.beginBuild(SHAPE))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("bloomguard.hash-secret");
    assertThatThrownBy(() -> a.serveEmpty(SHAPE)).isInstanceOf(StoreUnavailableException.class);
    a.maintain();
    assertThat(a.status().state()).isEqualTo(FilterState.DOUBTFUL);

    assertThat(b.checkAll(List.of("a", "never"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  /** Of an earlier version: its filter is neither misread nor replaced while that version runs. */
  @Test
  void aHashThatIsNoMoreIsUnknownUntilTheKeysInRedisAreDeleted() {
    RedisFilter settings = settings(first, SHAPE);
    int count = QUICK.partitions(SHAPE);
    SchemeContext unkeyed = new SchemeContext(new UnkeyedHash(), count, false, KeyFolding.EXACT);
    SchemeStore earlier = new SchemeStore(settings, unkeyed, QUICK, Clocks.SYSTEM);
    build(earlier, SHAPE, List.of("a"));
    earlier.addAll(List.of("b"));
    RedisGenerationStore store = upgraded();

    assertThat(store.checkAll(List.of("a", "b", "never"))).containsOnly(UNKNOWN);
    assertThatThrownBy(() -> store.addAll(List.of("c")))
        .isInstanceOf(AddFailedException.class)
        .hasMessageContaining("its hash is wyhash-final-4, here siphash-1-3 (bloomguard.filters.");
    assertThatThrownBy(() -> store.beginBuild(SHAPE))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("delete the filter's keys");
    store.maintain();
    assertThat(store.checkAll(List.of("a", "b", "never"))).containsOnly(UNKNOWN);
    assertThat(earlier.checkAll(List.of("a", "b"))).containsOnly(POSSIBLY_PRESENT);

    earlier.close();
    RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*").forEach(redis.commands()::del);
    build(store, SHAPE, List.of("a", "b"));
    assertThat(store.checkAll(List.of("a", "b", "never")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
    store.close();
  }

  private RedisGenerationStore upgraded() {
    RedisGenerationStore store =
        new RedisGenerationStore(
            settings(second, SHAPE),
            SECRET,
            List.of(OTHER),
            KeyHash.SIPHASH_1_3,
            KeyFolding.EXACT,
            QUICK);
    store.refillAfterLoss(true, since -> {});
    return store;
  }

  /**
   * The view of a head without images is the same for every secret, but for the secret itself. In
   * real time: a doubt lasts for a second or more by the clock of Redis, which no test can set.
   */
  @Tag("waits")
  @Test
  void anAddNeverReachesAHeadOfAnotherSecretThatReplacedTheOneKnown() {
    SchemeStore a = store(first, SECRET);
    a.addAll(List.of("early"));
    redis.commands().flushall();
    SchemeStore b = store(second, OTHER);
    b.addAll(List.of("other"));

    assertThatThrownBy(() -> a.addAll(List.of("c"))).isInstanceOf(AddFailedException.class);
    assertThatThrownBy(a::rollback).isInstanceOf(StoreUnavailableException.class);
    build(b, SHAPE, List.of());
    assertThat(b.checkAll(List.of("other", "c"))).containsExactly(POSSIBLY_PRESENT, ABSENT);
  }

  @Test
  void aJournalOfAnotherSecretIsNotReplayed() {
    SchemeStore a = store(first, SECRET);
    build(a, SHAPE, List.of());
    a.addAll(List.of("c"));
    redis.commands().del(key("head"));
    redis.commands().rename(key("journal"), key("kept"));
    SchemeStore b = store(second, OTHER);
    b.addAll(List.of("d"));
    redis.commands().del(key("journal"));
    redis.commands().rename(key("kept"), key("journal"));

    try (Build build = b.beginBuild(SHAPE)) {
      assertThatThrownBy(build::publish)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("another hash secret");
    }
    assertThat(b.check("c")).isEqualTo(UNKNOWN);
  }

  @Test
  void theSecretIsNeverInRedis() {
    SchemeStore store = store(first);
    build(store, SHAPE, List.of("a"));
    store.maintain();
    assertThat(redis.commands().exists("bloomguard:secret".getBytes(UTF_8))).isZero();
  }

  private SchemeStore store(RedisConnections connections, HashSecret secret) {
    return store(settings(connections, SHAPE), secret, KeyHash.SIPHASH_1_3, QUICK);
  }
}
