package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A head that is made ahead of its build. */
class PreparationTest extends RedisTestBase {

  private static final Limits BRIEF = Limits.USUAL.withGrace(Duration.ofMillis(100));

  @Test
  void theDoubtAboutAPreparedHeadEndsWithoutABuild() {
    SchemeStore store = store(first, SHAPE, BRIEF);
    store.prepare();
    Map<String, String> prepared = head();
    assertThat(prepared).containsKey("losses").doesNotContainKeys("settled", "building");
    await().untilAsserted(() -> assertThat(head()).as("the first report").containsKey("noted"));
    assertThat(store.check("x")).isEqualTo(UNKNOWN);

    await()
        .until(
            () -> {
              store.maintain();
              return prepared.get("losses").equals(head().get("settled"));
            });
    assertThat(images()).isEmpty();
    assertThat(store.check("x")).isEqualTo(UNKNOWN);

    build(store, SHAPE, List.of("s1"));
    assertThat(head()).containsEntry("losses", prepared.get("losses"));
    assertThat(store.check("x")).isEqualTo(ABSENT);
  }

  /** The build replays what was added again before it was registered. */
  @Test
  void whatIsAddedAgainBeforeTheBuildIsInIt() {
    SchemeStore writer = store(second, SHAPE, BRIEF);
    build(writer, SHAPE, List.of("s1"));
    writer.addAll(List.of("added"));
    redis.commands().flushall();

    SchemeStore store = store(first, SHAPE, BRIEF);
    store.prepare();
    writer.maintain();
    await().until(() -> redis.commands().exists(key("journal")) == 1);
    assertThat(images()).isEmpty();
    build(store, SHAPE, List.of("s1"));

    assertThat(store.check("x")).isEqualTo(ABSENT);
    assertThat(store.check("added")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void aHeadThatExistsIsLeftAsItIs() {
    build(store(first), SHAPE, List.of("s1"));
    Map<String, String> before = head();

    store(second).prepare();
    HashSecret another = HashSecret.random();
    store(settings(second, SHAPE), another, KeyHash.SIPHASH_1_3, AT_ONCE).prepare();

    assertThat(head()).isEqualTo(before);
  }

  @Test
  void aLostHeadIsMadeAgain() {
    SchemeStore store = store(first);
    store.prepare();
    redis.commands().flushall();
    store.maintain();
    assertThat(head()).isEmpty();

    store.prepare();

    assertThat(head()).containsKey("format");
  }

  @Test
  void withoutRedisNothingIsWaitedFor() {
    LettuceConnectionFactory nowhere = EmbeddedRedis.factory(EmbeddedRedis.freePort());
    try (RedisConnections away = new RedisConnections(nowhere, Duration.ofSeconds(1))) {
      GenerationStore store = store(away);
      store.prepare();
      assertThat(store.check("x")).isEqualTo(UNKNOWN);
    }
  }

  private Map<String, String> head() {
    Map<String, String> head = new TreeMap<>();
    redis
        .commands()
        .hgetall(key("head"))
        .forEach((name, value) -> head.put(new String(name, UTF_8), new String(value, UTF_8)));
    return head;
  }
}
