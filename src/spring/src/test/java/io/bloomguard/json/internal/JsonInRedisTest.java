package io.bloomguard.json.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.ValueType;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.internal.cache.RedisValueCache;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;

/** A value cache in Redis whose values are JSON. */
@Tag("redis")
class JsonInRedisTest {

  record Point(int x, int y) {}

  /** Refers to itself, which JSON cannot say. */
  static final class Loop {
    public Loop getLoop() {
      return this;
    }
  }

  private static EmbeddedRedis redis;
  private static ValueCache cache;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    cache =
        new RedisValueCache(
            "products",
            new CacheSettings(
                Duration.ofMinutes(10),
                Duration.ofMinutes(1),
                0,
                1_000,
                50,
                Duration.ofSeconds(30),
                Duration.ZERO),
            new KeyDigest(HashSecret.parse("00112233445566778899aabbccddeeff")),
            redis.connections(),
            "bloomguard",
            new JsonValues("products"));
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
  }

  @Test
  void aValueNamesNoClassToBeInstantiated() {
    cache.store(lease("point"), new Point(1, 2));
    assertThat(cache.lookup("point", ValueType.of(Point.class)))
        .isEqualTo(CacheLookup.hit(new Point(1, 2)));
    assertThat(RedisKeys.like(redis.commands(), "*:value"))
        .map(key -> new String(redis.commands().get(key), UTF_8))
        .anyMatch(value -> value.endsWith("{\"x\":1,\"y\":2}"))
        .noneMatch(value -> value.contains("bloomguard"));
  }

  @Test
  void aValueOfAGenericTypeComesBackAsItsType() {
    ValueType<Map<String, List<Integer>>> type =
        new ValueType<>(
            ResolvableType.forClassWithGenerics(
                    Map.class,
                    ResolvableType.forClass(String.class),
                    ResolvableType.forClassWithGenerics(List.class, Integer.class))
                .getType());
    cache.store(lease("generic"), Map.of("x", List.of(1, 2)), type);
    assertThat(cache.lookup("generic", type))
        .isEqualTo(CacheLookup.hit(Map.of("x", List.of(1, 2))));
  }

  @Test
  void aValueThatCannotBeReadAsItsTypeIsAMiss() {
    cache.store(lease("text"), "no number");
    assertThat(cache.lookup("text", ValueType.of(Integer.class))).isEqualTo(CacheLookup.miss());
  }

  @Test
  void aValueThatIsNoJsonIsNotStoredAndEndsItsLease() {
    assertThat(cache.store(lease("loop"), new Loop())).isEqualTo(StoreResult.REFUSED);
    assertThat(cache.lookup("loop", ValueType.of(Loop.class))).isEqualTo(CacheLookup.miss());
    assertThat(cache.tryLease("loop")).isNotNull();
  }

  private static Lease lease(String key) {
    Lease lease = cache.tryLease(key);
    assertThat(lease).isNotNull();
    return lease;
  }
}
