package io.bloomguard.redis.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.Enforcement.Standing;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisTestBase;
import io.bloomguard.redis.internal.generation.SchemeStore;
import io.lettuce.core.RestoreArgs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A disarmed filter stays disarmed for all, whatever becomes of its head. */
class RedisEnforcementTest extends RedisTestBase {

  private static final HashSecret OTHER = HashSecret.parse("ffeeddccbbaa99887766554433221100");

  private static final byte[] FIELD = "standing".getBytes(UTF_8);

  private static boolean disarmed(SchemeStore store) {
    store.maintain();
    return store.enforcement().standing().disarmed();
  }

  @Test
  void whatIsDisarmedIsToldWithoutWaitingForTheMaintenance() {
    SchemeStore a = store(first);
    build(a, SHAPE, List.of("1"));
    a.enforcement().disarm();
    await().until(() -> redis.commands().hexists(key("facts"), FIELD));
    assertThat(disarmed(store(second))).isTrue();
  }

  @Test
  void itSurvivesTheEndOfEveryProcess() {
    SchemeStore a = store(first);
    build(a, SHAPE, List.of("1"));
    a.enforcement().mode(FilterMode.OBSERVE);
    a.enforcement().disarm();
    a.maintain();
    a.close();
    SchemeStore next = store(second);
    next.maintain();
    assertThat(next.enforcement().standing()).isEqualTo(new Standing(true, FilterMode.OBSERVE));
  }

  @Test
  void theKeysThatWereRejectedWronglyAreCheckedByTheirHashesInAnyProcess() {
    SchemeStore a = store(first);
    build(a, SHAPE, List.of("1"));
    a.enforcement().disarm(1, a.keyHash("2"));
    a.enforcement().disarm(1, a.keyHash("3"));
    a.maintain();
    a.close();
    SchemeStore next = store(second);
    next.maintain();
    List<String> proven = next.enforcement().proof().keyHashes();
    assertThat(proven).hasSize(2).allMatch(hash -> next.checkHash(hash) == Membership.ABSENT);
    next.addAll(List.of("2"));
    assertThat(next.checkHash(proven.get(0))).isEqualTo(Membership.POSSIBLY_PRESENT);
    assertThat(next.checkHash(proven.get(1))).isEqualTo(Membership.ABSENT);
  }

  @Test
  void aHeadThatHasLostItGetsItBack() {
    SchemeStore a = store(first);
    build(a, SHAPE, List.of("1"));
    a.enforcement().disarm();
    a.maintain();
    redis.commands().del(key("facts"));
    redis.commands().hdel(key("head"), "enforcement".getBytes(UTF_8));
    assertThat(disarmed(a)).isTrue();
    assertThat(disarmed(store(second))).isTrue();

    // As after a failover to a replica that had not heard of the arming.
    byte[] facts = redis.commands().dump(key("facts"));
    byte[] head = redis.commands().dump(key("head"));
    a.enforcement().arm();
    redis.commands().restore(key("facts"), facts, RestoreArgs.Builder.ttl(0).replace());
    redis.commands().restore(key("head"), head, RestoreArgs.Builder.ttl(0).replace());
    assertThat(disarmed(a)).isFalse();
    assertThat(disarmed(store(second))).isFalse();
  }

  @Test
  void aHeadThatIsLostAsAWholeGetsItBack() {
    SchemeStore a = store(first);
    build(a, SHAPE, List.of("1"));
    a.enforcement().disarm();
    a.maintain();
    redis.commands().del(key("head"), key("facts"));
    assertThat(disarmed(a)).isTrue();
    build(a, SHAPE, List.of("1"));
    assertThat(disarmed(a)).isTrue();
    assertThat(disarmed(store(second))).isTrue();
  }

  @Test
  void aDamagedHeadThatIsReplacedKeepsIt() {
    // The build waits for the other process, which does not report, as long as that counts as
    // alive.
    Limits brief = AT_ONCE.withLifetime(Duration.ofMillis(200));
    SchemeStore a = store(first, SHAPE, brief);
    build(a, SHAPE, List.of("1"));
    a.enforcement().disarm();
    a.maintain();
    redis.commands().hdel(key("head"), "hashing".getBytes(UTF_8));
    SchemeStore fresh = store(second, SHAPE, brief);
    build(fresh, SHAPE, List.of("1"));
    assertThat(disarmed(fresh)).isTrue();
  }

  @Test
  void aChangeOfTheSecretTakesItAlong() {
    Limits now = AT_ONCE.withLateCommits(Duration.ZERO);
    RedisGenerationStore before = shared(first, SECRET, OTHER, now);
    build(before, SHAPE, List.of("1"));
    before.enforcement().disarm();
    before.maintain();
    before.close();

    // The one that makes the change never looks at the field by itself.
    RedisGenerationStore after = shared(second, OTHER, SECRET, now);
    try (GenerationStore.Build build = after.beginBuild(SHAPE)) {
      build.awaitSource();
      build.addAll(new String[] {"1"}, 1);
      build.publish();
    }
    await()
        .until(
            () -> {
              after.maintain();
              return after.status().state() == FilterState.READY
                  && after.warnings().isEmpty()
                  && !new String(
                          redis.commands().hget(key("head"), "hashing".getBytes(UTF_8)), UTF_8)
                      .contains("<");
            });
    assertThat(after.check("2")).isEqualTo(Membership.ABSENT);
    assertThat(redis.commands().hget(key("facts"), FIELD)).isNotNull();
    RedisGenerationStore fresh = shared(first, OTHER, SECRET, now);
    fresh.maintain();
    assertThat(fresh.enforcement().standing().disarmed()).isTrue();
  }

  private RedisGenerationStore shared(
      RedisConnections connections, HashSecret secret, HashSecret other, Limits limits) {
    RedisGenerationStore store =
        new RedisGenerationStore(
            settings(connections, SHAPE),
            secret,
            List.of(other),
            KeyHash.SIPHASH_1_3,
            KeyFolding.EXACT,
            limits);
    store.refillAfterLoss(true, since -> {});
    return store;
  }

  @Test
  void withoutRedisThisProcessIsDisarmedAtOnceAndTheOthersLater() throws Exception {
    try (EmbeddedRedis away = new EmbeddedRedis()) {
      SchemeStore a = store(away.connections());
      SchemeStore b = store(away.connections());
      build(a, SHAPE, List.of("1"));
      b.maintain();
      away.commands().save();
      away.stop();

      a.enforcement().disarm();
      assertThat(a.enforcement().standing().disarmed()).isTrue();
      assertThatThrownBy(() -> a.enforcement().arm()).isInstanceOf(StoreUnavailableException.class);
      assertThat(a.enforcement().standing().disarmed()).isTrue();
      assertThat(disarmed(a)).isTrue();
      assertThat(disarmed(b)).isFalse();

      away.restart();
      await()
          .untilAsserted(
              () -> {
                assertThat(disarmed(a)).isTrue();
                assertThat(disarmed(b)).isTrue();
              });
      a.enforcement().arm();
      assertThat(disarmed(b)).isFalse();
    }
  }
}
