package io.bloomguard.classic.autoconfigure;

import static io.bloomguard.autoconfigure.MissingHashSecretTest.application;
import static io.bloomguard.autoconfigure.MissingHashSecretTest.failure;
import static io.bloomguard.autoconfigure.MissingHashSecretTest.fresh;
import static io.bloomguard.autoconfigure.MissingHashSecretTest.ready;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts of the classic systems without a hash secret. */
@Tag("redis")
class ClassicWithoutSecretTest {

  private static EmbeddedRedis redis;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
  }

  @BeforeEach
  void empty() {
    redis.commands().flushall();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "backend=redis,window.length=5m,window.count=3",
        "backend=redis,per-subject.ttl=1d",
      })
  void itIsRequiredByEveryFilterOfOursInRedis(String properties) {
    assertThat(fresh(failure(redis.port(), properties.split(",")))).isNotEmpty();
  }

  /** Two processes without one have the same names for what they cache. */
  @Test
  void aStringOfAnotherProgramNeedsNone() {
    redis.commands().setbit("shared".getBytes(UTF_8), 1_023, 0);
    String[] properties = {
      "backend=redis-bitmap", "bitmap.key=shared", "bitmap.bits=1024", "bitmap.hashes=bkdr"
    };
    application(redis.port(), properties)
        .run(context -> assertThat(ready(context).put("a")).isTrue());
    AtomicInteger loads = new AtomicInteger();
    for (int process = 0; process < 2; process++) {
      application(redis.port(), properties)
          .run(
              context -> {
                BloomGuard<String> guard = ready(context);
                assertThat(guard.get("a", () -> "value " + loads.incrementAndGet()))
                    .isEqualTo("value 1");
              });
    }
    assertThat(loads).hasValue(1);
    assertThat(RedisKeys.like(redis.commands(), "*a*"))
        .map(name -> new String(name, UTF_8))
        .noneMatch(name -> name.endsWith(":a"));
    application(redis.port(), "backend=redis-bloom", "bloom.key-form=raw", "bloom.key=other")
        .run(context -> assertThat(context).hasNotFailed());
  }
}
