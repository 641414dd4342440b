package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static io.bloomguard.guard.Membership.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Redis that is not there stops nothing, and nothing need be restarted when it is back. */
@ExtendWith(OutputCaptureExtension.class)
class RedisOutageTest extends RedisTestBase {

  /**
   * In real time: Lettuce looks for a server that is away after pauses of its own, and so does a
   * doubt end.
   */
  @Tag("waits")
  @Test
  void aStoppedRedisIsUnknownAndARestartedOneIsRebuilt() {
    SchemeStore store = store(first);
    build(store, SHAPE, List.of("a"));

    redis.stop();

    await().until(() -> store.status().state() == FilterState.DOUBTFUL);
    assertThat(store.check("a")).isEqualTo(UNKNOWN);
    assertThat(store.check(7L)).isEqualTo(UNKNOWN);
    assertThat(store.checkAll(List.of("a", "b"))).containsExactly(UNKNOWN, UNKNOWN);
    assertThat(store.explain("a").membership()).isEqualTo(UNKNOWN);
    assertThatThrownBy(() -> store.addAll(List.of("b"))).isInstanceOf(AddFailedException.class);
    assertThatThrownBy(() -> store.beginBuild(SHAPE)).isInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> store.serveEmpty(SHAPE)).isInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(store::rollback).isInstanceOf(StoreUnavailableException.class);
    store.maintain();

    redis.restart();

    await().until(() -> store.status().state() == FilterState.EMPTY);
    assertThat(store.check("a")).isEqualTo(UNKNOWN);
    await().ignoreExceptions().untilAsserted(() -> build(store, SHAPE, List.of("a")));
    await().until(() -> store.check("a") == POSSIBLY_PRESENT);
    store.addAll(List.of("b"));
    assertThat(store.check("b")).isEqualTo(POSSIBLY_PRESENT);
  }

  @Test
  void anAbsentRedisAtStartupIsFoundLater() {
    redis.stop();
    try (RedisConnections early =
        new RedisConnections(EmbeddedRedis.factory(redis.port()), Duration.ofMillis(500))) {
      SchemeStore store = store(early);
      assertThat(store.check("a")).isEqualTo(UNKNOWN);
      assertThat(store.status().state()).isEqualTo(FilterState.DOUBTFUL);

      redis.restart();

      await().until(() -> store.status().state() == FilterState.EMPTY);
      await().ignoreExceptions().untilAsserted(() -> build(store, SHAPE, List.of("a")));
      await().until(() -> store.check("a") == POSSIBLY_PRESENT);
    }
  }

  @Test
  void theFirstAddOfAnApplicationFindsAConnection() {
    try (RedisConnections fresh =
        new RedisConnections(EmbeddedRedis.factory(redis.port()), Duration.ofMillis(500))) {
      fresh.tryToConnect();
      SchemeStore store = store(fresh);
      assertThatCode(() -> store.addAll(List.of("a"))).doesNotThrowAnyException();
    }
  }

  @Test
  void closingLeavesTheApplicationsConnectionsAlone() {
    ClientResources shared = DefaultClientResources.create();
    LettuceConnectionFactory application =
        new LettuceConnectionFactory(
            new RedisStandaloneConfiguration("127.0.0.1", redis.port()),
            LettuceClientConfiguration.builder().clientResources(shared).build());
    application.afterPropertiesSet();
    application.start();
    try {
      RedisConnections own = new RedisConnections(application, Duration.ofSeconds(5));
      assertThat(own.awaitConnected(Duration.ofSeconds(20))).isTrue();
      own.close();

      assertThat(application.getConnection().ping()).isEqualTo("PONG");
      assertThat(own.awaitConnected(Duration.ZERO)).isFalse();
    } finally {
      application.destroy();
      shared.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @Test
  void closingWarnsOfNothing(CapturedOutput output) {
    for (int i = 0; i < 20; i++) {
      RedisConnections own =
          new RedisConnections(EmbeddedRedis.factory(redis.port()), Duration.ofSeconds(5));
      assertThat(own.awaitConnected(Duration.ofSeconds(20))).isTrue();
      own.close();
    }
    assertThat(output).doesNotContain("already closed");
  }

  @Test
  void anotherDriverIsRefused() {
    RedisConnectionFactory other =
        (RedisConnectionFactory)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, args) -> null);
    assertThatThrownBy(() -> new RedisConnections(other, Duration.ofMillis(20)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Lettuce");
  }
}
