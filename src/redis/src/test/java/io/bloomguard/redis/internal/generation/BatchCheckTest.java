package io.bloomguard.redis.internal.generation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.Membership;
import io.bloomguard.redis.StepProxy;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A batch of keys has time in proportion to its keys; a single key has the time of a check. In real
 * time: the answers of Redis come through a proxy that is slow.
 */
@Tag("waits")
@Tag("thorough")
@Tag("long")
class BatchCheckTest extends RedisTestBase {

  /** Shorter than what {@link StepProxy} takes for an answer, and a tenth of a batch's time. */
  private static final Duration CHECK = Duration.ofMillis(100);

  private static final List<String> KEYS = numbers(0, 6_000);

  @Test
  void aBatchIsAnsweredWhereASingleKeyIsNot() throws Exception {
    build(store(first), SHAPE, numbers(0, 3_000));
    try (StepProxy proxy = new StepProxy(redis.port());
        RedisConnections slow =
            new RedisConnections(new LettuceConnectionFactory("127.0.0.1", proxy.port()), CHECK)) {
      assertThat(slow.awaitConnected(Duration.ofSeconds(20))).isTrue();
      SchemeStore store = store(slow);
      store.maintain();

      assertThat(store.check("1")).as("one key").isEqualTo(Membership.UNKNOWN);
      assertThat(store.checkAll(KEYS)).as("a batch").doesNotContain(Membership.UNKNOWN);
      assertThat(store.checkAsync(KEYS, Runnable::run).get())
          .as("a batch of a caller that does not wait")
          .doesNotContain(Membership.UNKNOWN);
    }
  }

  /** As that of the membership API. */
  @Test
  void aCallerThatWaitsLongerIsAnsweredWhereARequestIsNot() throws Exception {
    build(store(first), SHAPE, numbers(0, 3_000));
    try (StepProxy proxy = new StepProxy(redis.port());
        RedisConnections slow =
            new RedisConnections(new LettuceConnectionFactory("127.0.0.1", proxy.port()), CHECK)) {
      assertThat(slow.awaitConnected(Duration.ofSeconds(20))).isTrue();
      SchemeStore store = store(slow);
      store.maintain();
      // So often that the requests after it do not ask any more.
      for (int i = 0; i < 10; i++) {
        assertThat(store.checkAll(List.of("1", "never"))).containsOnly(Membership.UNKNOWN);
      }

      assertThat(store.checkAll(List.of("1", "never"), Duration.ofSeconds(10)))
          .containsExactly(Membership.POSSIBLY_PRESENT, Membership.ABSENT);
    }
  }
}
