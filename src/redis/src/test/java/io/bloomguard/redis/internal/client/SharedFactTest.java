package io.bloomguard.redis.internal.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.EmbeddedRedis;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A number that two processes share. */
@Tag("redis")
class SharedFactTest {

  private static final byte[] HEAD = "test:{filter:0}:head".getBytes(UTF_8);
  private static final byte[] FACTS = "test:{filter:0}:facts".getBytes(UTF_8);
  private static final byte[] FIELD = "number".getBytes(UTF_8);

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

  @BeforeEach
  void empty() {
    redis.commands().flushall();
  }

  private static SharedFact<Long> number(boolean restores) {
    return new SharedFact<>(
        HEAD,
        "number",
        restores,
        text -> text.isEmpty() ? 0 : Long.parseLong(text),
        number -> Long.toString(number));
  }

  private static long change(
      RedisConnections process, SharedFact<Long> fact, SharedFact.Change<Long> change) {
    return fact.await(process.builds(), RedisConnections.SLOW, change);
  }

  private static void countUp(RedisConnections process, int times) {
    SharedFact<Long> fact = number(false);
    for (int done = 0; done < times; ) {
      try {
        change(process, fact, (number, now) -> number + 1);
        done++;
      } catch (RedisUnavailableException e) {
        // The other process was first each time: nothing has changed.
      }
    }
  }

  @Test
  void noChangeIsLostAmongThoseOfSeveralProcesses() {
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> countUp(second, 200));
    countUp(first, 200);
    other.join();
    assertThat(number(false).read(first.builds(), RedisConnections.SLOW)).isEqualTo(400);
  }

  /** Of a feed's position, for one, an older one is the truth: the content is older as well. */
  @Test
  void aLostValueIsGoneUnlessItsTwinRestoresIt() {
    for (boolean restores : new boolean[] {true, false}) {
      SharedFact<Long> here = number(restores);
      change(first, here, (number, now) -> 1L);
      byte[] before = redis.commands().hget(FACTS, FIELD);
      change(first, here, (number, now) -> 2L);
      redis.commands().hset(FACTS, FIELD, before);
      assertThat(here.read(first.builds(), RedisConnections.SLOW)).isEqualTo(restores ? 2 : 1);
      assertThat(number(restores).read(second.builds(), RedisConnections.SLOW))
          .isEqualTo(restores ? 2 : 1);
      redis.commands().flushall();
    }
  }

  /** Twins hold other values under versions of their own, and the later one counts. */
  @Test
  void theLatestOfSeveralTwinsIsRestored() {
    SharedFact<Long> early = number(true);
    SharedFact<Long> late = number(true);
    change(first, early, (number, now) -> 1L);
    change(second, late, (number, now) -> 2L);
    for (SharedFact<Long> back : new SharedFact[] {early, late, early}) {
      redis.commands().del(FACTS);
      back.read(first.builds(), RedisConnections.SLOW);
      assertThat(late.read(second.builds(), RedisConnections.SLOW)).isEqualTo(2);
      assertThat(early.read(first.builds(), RedisConnections.SLOW)).isEqualTo(2);
    }
  }

  @Test
  void whatIsNoFactCountsAsNone() {
    redis.commands().set(FACTS, FIELD);
    SharedFact<Long> fact = number(false);
    assertThat(fact.read(first.builds(), RedisConnections.SLOW)).isZero();
    change(first, fact, (number, now) -> number + 7);
    assertThat(fact.known()).isEqualTo(7);
    redis.commands().hset(FACTS, FIELD, "seven".getBytes(UTF_8));
    assertThat(fact.read(first.builds(), RedisConnections.SLOW)).isZero();
  }

  /** Redis' clock, in microseconds. */
  @Test
  void aChangeKnowsTheTime() {
    SharedFact<Long> fact = number(false);
    long time = change(first, fact, (number, now) -> now);
    String[] there =
        redis.commands().time().stream()
            .map(part -> new String(part, UTF_8))
            .toArray(String[]::new);
    long now = Long.parseLong(there[0]) * 1_000_000 + Long.parseLong(there[1]);
    assertThat(time).isBetween(now - 60_000_000, now);
    assertThat(fact.now()).isBetween(time, now + 60_000_000);
  }
}
