package io.bloomguard.redis.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.RefreshContractTest;
import io.bloomguard.guard.SerializedValues;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.redis.RedisKeys;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("redis")
class RedisRefreshTest extends RefreshContractTest {

  private static final Duration TTL = Duration.ofMinutes(10);
  private static final Duration SOFT = Duration.ofMillis(1);

  private static RedisCaches caches;

  @BeforeAll
  static void start() {
    caches = new RedisCaches();
  }

  @AfterAll
  static void stop() throws Exception {
    caches.close();
  }

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return caches.newCache(settings);
  }

  @Override
  protected void pass(Duration time) {
    caches.pass(time);
  }

  @Test
  void aValueStoredBeforeTheSettingIsServedUntilItEnds() {
    ValueCache before = caches.cache("before", settings(TTL, Duration.ZERO));
    store(before, "value");
    pass(Duration.ofMillis(3));
    ValueCache after = caches.cache("before", settings(TTL, SOFT));
    assertThat(after.lookup("1", STRING)).isEqualTo(CacheLookup.hit("value"));
    assertThat(after.lookAgain("1", STRING)).isEqualTo(CacheLookup.hit("value"));
  }

  @Test
  void aValueStoredUnderTheSettingIsReadWithoutIt() {
    store(caches.cache("after", settings(TTL, SOFT)), "value");
    ValueCache off = caches.cache("after", settings(TTL, Duration.ZERO));
    assertThat(off.lookup("1", STRING)).isEqualTo(CacheLookup.hit("value"));
    assertThat(off.lookAgain("1", STRING)).isEqualTo(CacheLookup.hit("value"));
  }

  @Test
  void withoutTheSettingAValueHasNoTimesAndALookIsOneCommand() {
    ValueCache cache = caches.cache("plain", settings(TTL, Duration.ZERO));
    store(cache, "value");
    caches.redis().commands().configResetstat();
    cache.lookup("1", STRING);
    assertThat(commands()).contains("cmdstat_get:calls=1,").doesNotContain("pttl");
    byte[] name = RedisKeys.like(caches.redis().commands(), "bloomguard:{plain:*}:value").get(0);
    byte[] entry = caches.redis().commands().get(name);
    assertThat(entry).isEqualTo(new SerializedValues().write("value", STRING));
  }

  /** The commands of a look are sent before the first is answered. */
  @Test
  void aLookAtAValueThatFallsDueIsTwoCommandsAndOneRoundTrip() {
    ValueCache cache = caches.cache("due", settings(TTL, SOFT));
    store(cache, "value");
    caches.redis().commands().configResetstat();
    cache.lookup("1", STRING);
    assertThat(commands()).contains("cmdstat_get:calls=1,").contains("cmdstat_pttl:calls=1,");
  }

  private static String commands() {
    return caches.redis().commands().info("commandstats");
  }

  private static void store(ValueCache cache, String value) {
    cache.store(Objects.requireNonNull(cache.tryLease("1")), value);
  }
}
