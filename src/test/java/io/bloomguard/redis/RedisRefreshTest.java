package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyDigest;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Cached;
import io.bloomguard.guard.RefreshContractTest;
import io.bloomguard.guard.RefreshSettings;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.json.JsonValues;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisRefreshTest extends RefreshContractTest {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final Duration TTL = Duration.ofMinutes(10);
  private static final RefreshSettings SOFT = new RefreshSettings(Duration.ofMillis(1), 0);

  private static EmbeddedRedis redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    connections = redis.connections();
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
  }

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return cache("cache-" + NAMES.incrementAndGet(), settings);
  }

  private static ValueCache cache(String name, CacheSettings settings) {
    return new RedisValueCache(
        name,
        settings,
        new KeyDigest(HashSecret.parse("00112233445566778899aabbccddeeff")),
        connections,
        "bloomguard",
        new JsonValues(name));
  }

  /** Redis' clock cannot be set: waits until a key that lives so long has ended. */
  @Override
  protected void pass(Duration time) {
    byte[] timer = ("timer-" + NAMES.incrementAndGet()).getBytes(UTF_8);
    redis.commands().psetex(timer, time.toMillis(), timer);
    while (redis.commands().exists(timer) == 1) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aValueStoredBeforeTheSettingIsServedUntilItEnds() {
    ValueCache before = cache("before", settings(TTL, RefreshSettings.OFF));
    store(before, "value");
    pass(Duration.ofMillis(3));
    ValueCache after = cache("before", settings(TTL, SOFT));
    assertThat(after.lookup("1", STRING)).isEqualTo(Cached.hit("value"));
    assertThat(after.lookAgain("1", STRING)).isEqualTo(Cached.hit("value"));
  }

  @Test
  void aValueStoredUnderTheSettingIsReadWithoutIt() {
    store(cache("after", settings(TTL, SOFT)), "value");
    ValueCache off = cache("after", settings(TTL, RefreshSettings.OFF));
    assertThat(off.lookup("1", STRING)).isEqualTo(Cached.hit("value"));
    assertThat(off.lookAgain("1", STRING)).isEqualTo(Cached.hit("value"));
  }

  @Test
  void withoutTheSettingAValueHasNoHeaderAndALookIsOneCommand() {
    ValueCache cache = cache("plain", settings(TTL, RefreshSettings.OFF));
    store(cache, "value");
    redis.commands().configResetstat();
    cache.lookup("1", STRING);
    assertThat(commands()).contains("cmdstat_get:calls=1,").doesNotContain("pttl");
    byte[] name = redis.commands().keys("bloomguard:{plain:*}:value").get(0);
    assertThat(new String(redis.commands().get(name), UTF_8)).isEqualTo("\"value\"");
  }

  /** The commands of a look are sent before the first is answered. */
  @Test
  void aLookAtAValueThatFallsDueIsTwoCommandsAndOneRoundTrip() {
    ValueCache cache = cache("due", settings(TTL, SOFT));
    store(cache, "value");
    redis.commands().configResetstat();
    cache.lookup("1", STRING);
    assertThat(commands()).contains("cmdstat_get:calls=1,").contains("cmdstat_pttl:calls=1,");
  }

  private static String commands() {
    return redis.commands().info("commandstats");
  }

  private static void store(ValueCache cache, String value) {
    cache.store(Objects.requireNonNull(cache.tryLease("1")), value);
  }
}
