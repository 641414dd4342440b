package io.bloomguard.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.redis.EmbeddedRedis;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * An application with ten filters in an empty Redis: the doubts about all heads run at once, though
 * builds take turns.
 */
@Tag("redis")
class ColdRedisTest {

  private static final int FILTERS = 10;
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String FIELD_AFTER_A_REPORT = "noted";

  private final EmbeddedRedis redis = new EmbeddedRedis();

  @AfterEach
  void stop() throws Exception {
    redis.close();
  }

  @Test
  void everyHeadIsMadeWhileTheFirstSourcesAreRead() {
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger readings = new AtomicInteger();
    application(
            "background",
            new TestKeys(
                sink -> {
                  readings.incrementAndGet();
                  released.await();
                }))
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              await().atMost(LONG).until(() -> reportedHeads() == FILTERS);
              assertThat(readings.get()).as("builds at once").isLessThanOrEqualTo(2);
              assertThat(head("unbuilt")).as("a filter that no process builds").isFalse();
              released.countDown();
            });
  }

  /** The source of the first filter is read on the thread that starts the application. */
  @Test
  void everyHeadIsMadeWhileAStartWaitsForItsFirstBuild() {
    AtomicBoolean seen = new AtomicBoolean();
    TestKeys keys =
        new TestKeys(
            sink -> {
              await().atMost(LONG).until(() -> reportedHeads() == FILTERS);
              seen.set(true);
              throw new IllegalStateException("The start need not go on");
            });
    application("blocking", keys).run(context -> assertThat(context).hasFailed());
    assertThat(seen).isTrue();
    assertThat(keys.scans).hasValue(1);
  }

  private ApplicationContextRunner application(String warmUp, TestKeys keys) {
    ApplicationContextRunner application =
        Wiring.application()
            .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
            .withBean("keys", TestKeys.class, () -> keys)
            .withPropertyValues(
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "bloomguard.backend=redis",
                "bloomguard.hash-secret=000102030405060708090a0b0c0d0e0f",
                "bloomguard.filters.unbuilt.expected-insertions=1000",
                "bloomguard.filters.unbuilt.source.bean=keys",
                "bloomguard.filters.unbuilt.warm-up.mode=none");
    for (int i = 0; i < FILTERS; i++) {
      String filter = "bloomguard.filters.f" + i;
      application =
          application.withPropertyValues(
              filter + ".expected-insertions=1000",
              filter + ".source.bean=keys",
              filter + ".warm-up.mode=" + warmUp);
    }
    return application;
  }

  private long reportedHeads() {
    return IntStream.range(0, FILTERS).filter(i -> head("f" + i)).count();
  }

  private boolean head(String filter) {
    byte[] key = ("bloomguard:{" + filter + ":0}:head").getBytes(UTF_8);
    return redis.commands().hexists(key, FIELD_AFTER_A_REPORT.getBytes(UTF_8));
  }
}
