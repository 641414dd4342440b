package io.bloomguard.redis.internal.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.SerializedValues;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCache.StoreResult;
import io.bloomguard.guard.ValueCacheContractTest;
import io.bloomguard.guard.ValueType;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@Tag("redis")
class RedisValueCacheTest extends ValueCacheContractTest {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final HashSecret SECRET = HashSecret.parse("00112233445566778899aabbccddeeff");

  private static final int SLOTS = 16_384;

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
    return cache("cache-" + NAMES.incrementAndGet(), settings, connections);
  }

  /** Redis' clock is nobody's to set: waits until a key that lives so long has ended. */
  @Override
  protected void pass(ValueCache cache, Duration time) throws Exception {
    byte[] timer = ("timer-" + NAMES.incrementAndGet()).getBytes(UTF_8);
    redis.commands().psetex(timer, time.toMillis(), timer);
    while (redis.commands().exists(timer) == 1) {
      Thread.onSpinWait();
    }
  }

  @Test
  void twoProcessesShareValuesLeasesAndBarriers() {
    ValueCache here = cache("shared", SETTINGS, connections);
    ValueCache there = cache("shared", SETTINGS, redis.connections());

    Lease lease = lease(here, "a");
    assertThat(there.tryLease("a")).isNull();
    assertThat(here.store(lease, "value")).isEqualTo(StoreResult.STORED);
    assertThat(there.lookup("a", STRING)).isEqualTo(CacheLookup.hit("value"));

    there.beginWrite("a", "w");
    assertThat(here.store(lease(here, "a"), null)).isEqualTo(StoreResult.REFUSED);
    there.endWrite("a", "w");
    assertThat(here.lookup("a", STRING)).isInstanceOf(CacheLookup.Miss.class);
  }

  @Test
  void aLookupDoesNotWaitForRedisAndItsAnswerComesOnAThreadOfTheCallers() {
    ValueCache cache = newCache(SETTINGS);
    store(cache, "a", "value");
    ExecutorService threads = Executors.newSingleThreadExecutor(task -> new Thread(task, "mine"));
    // Redis answers nothing for longer than a lookup waits, or once that is over.
    redis.commands().clientPause(500);
    CompletableFuture<CacheLookup<String>> answer = cache.lookupAsync("a", STRING, threads);
    CompletableFuture<String> thread =
        answer.handle((cached, failure) -> Thread.currentThread().getName());
    assertThat(answer).isNotDone();
    assertThat(thread).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("mine");
    Awaitility.await()
        .ignoreExceptions()
        .until(
            () -> cache.lookupAsync("a", STRING, threads).join(), CacheLookup.hit("value")::equals);
    threads.shutdownNow();
  }

  @Test
  void aBarrierWhoseWriterDiedIsNotProlongedByLaterWrites() {
    String name = "barriers-" + NAMES.incrementAndGet();
    ValueCache cache = cache(name, SETTINGS, connections);
    cache.beginWrite("a", "died");
    cache.beginWrite("a", "alive");
    byte[] barrier = RedisKeys.like(redis.commands(), "bloomguard:{" + name + ":*}:barrier").get(0);
    double end = redis.commands().zscore(barrier, "died".getBytes(UTF_8));
    assertThat(Duration.ofMillis((long) end - redisMillis()))
        .isBetween(CacheSettings.BARRIER.minusMinutes(1), CacheSettings.BARRIER);
    assertThat(redis.commands().pttl(barrier)).isBetween(1L, CacheSettings.BARRIER.toMillis());

    // As if it had been raised ten minutes ago.
    redis.commands().zadd(barrier, redisMillis(), "died".getBytes(UTF_8));
    assertThat(store(cache, "a", "value")).as("another one stands").isEqualTo(StoreResult.REFUSED);
    long asked = System.nanoTime();
    assertThat(cache.lastWrite("a")).as("open").isGreaterThanOrEqualTo(asked);
    cache.endWrite("a", "alive");
    assertThat(store(cache, "a", "value")).isEqualTo(StoreResult.STORED);
    assertThat(redis.commands().exists(barrier)).as("the dead one is still there").isEqualTo(1);
    Awaitility.await()
        .until(
            () -> {
              long again = System.nanoTime();
              Long last = cache.lastWrite("a");
              return last == null || last - again < 0;
            });

    cache.beginWrite("a", "later");
    assertThat(redis.commands().zcard(barrier)).as("the dead one is forgotten").isEqualTo(1);
    cache.endWrite("a", "later");
    assertThat(store(cache, "a", "value")).isEqualTo(StoreResult.STORED);
  }

  private static long redisMillis() {
    List<byte[]> time = redis.commands().time();
    return Long.parseLong(new String(time.get(0), UTF_8)) * 1000
        + Long.parseLong(new String(time.get(1), UTF_8)) / 1000;
  }

  @Test
  void aValueThatCannotBeReadAsItsTypeIsAMiss() {
    ValueCache cache = newCache(SETTINGS);
    cache.store(lease(cache, "a"), "no number");
    assertThat(cache.lookup("a", ValueType.of(Integer.class))).isInstanceOf(CacheLookup.Miss.class);
  }

  @Test
  void aValueThatCannotBeWrittenIsNotStoredAndEndsItsLease() {
    ValueCache cache = newCache(SETTINGS);
    Lease lease = lease(cache, "a");
    assertThat(cache.store(lease, new Unwritable())).isEqualTo(StoreResult.REFUSED);
    assertThat(cache.lookup("a", ValueType.of(Unwritable.class))).isEqualTo(CacheLookup.miss());
    assertThat(cache.tryLease("a")).isNotNull();
  }

  @Test
  void noRawKeyIsInRedis() {
    ValueCache cache = newCache(SETTINGS);
    String key = "a-key-nobody-may-read";
    cache.store(lease(cache, key), "v");
    cache.beginWrite(key, "w");
    lease(cache, key);
    for (byte[] name : RedisKeys.like(redis.commands(), "*")) {
      assertThat(new String(name, UTF_8)).doesNotContain(key);
    }
  }

  @Test
  void withoutRedisEveryCallFailsAsUnavailable() throws Exception {
    try (RedisConnections nowhere =
        new RedisConnections(
            EmbeddedRedis.factory(EmbeddedRedis.freePort()), Duration.ofMillis(20))) {
      ValueCache cache = cache("down", SETTINGS, nowhere);
      Lease lease = new Lease("a", "token");
      assertThatThrownBy(() -> cache.lookup("a", STRING)).isInstanceOf(UNAVAILABLE);
      assertThatThrownBy(() -> cache.lookupAll(List.of("a"), STRING)).isInstanceOf(UNAVAILABLE);
      assertThatThrownBy(() -> cache.tryLease("a")).isInstanceOf(UNAVAILABLE);
      assertThatThrownBy(() -> cache.store(lease, "v")).isInstanceOf(UNAVAILABLE);
      assertThatThrownBy(() -> cache.release(lease)).isInstanceOf(UNAVAILABLE);
      assertThatThrownBy(() -> cache.beginWrite("a", "w")).isInstanceOf(UNAVAILABLE);
      assertThatThrownBy(() -> cache.endWrite("a", "w")).isInstanceOf(UNAVAILABLE);
    }
  }

  private static final Class<?> UNAVAILABLE = CacheUnavailableException.class;

  private static ValueCache cache(String name, CacheSettings settings, RedisConnections at) {
    return cache(name, settings, at, "bloomguard");
  }

  private static ValueCache cache(
      String name, CacheSettings settings, RedisConnections at, String prefix) {
    return new RedisValueCache(
        name, settings, new KeyDigest(SECRET), at, prefix, new SerializedValues());
  }

  /** Is not serializable. */
  private record Unwritable() {}

  /** In real time: Redis stands still for longer than a write waits. */
  @Tag("waits")
  @Test
  void aSlowAnswerIsNotTakenForAnAbsentRedis() {
    ValueCache cache = cache("slow", SETTINGS, connections);
    assertThat(cache.lookup("a", STRING)).isEqualTo(CacheLookup.miss());
    redis.commands().clientPause(RedisConnections.WRITE.plusMillis(300).toMillis());
    assertThat(failure(() -> cache.tryLease("a")).isSlow()).isTrue();
    Awaitility.await().ignoreExceptions().until(() -> cache.tryLease("a") != null);
  }

  private static CacheUnavailableException failure(ThrowingCallable call) {
    return catchThrowableOfType(CacheUnavailableException.class, call);
  }

  /** In real time: Redis stands still for as long as five writes wait. */
  @Tag("waits")
  @Tag("thorough")
  @Tag("long")
  @Test
  void aLeaseWhoseAnswerCameTooLateIsGivenBack() {
    ValueCache cache = cache("late", SETTINGS, connections);
    // As after a restart: nobody waits to hear that the script must be sent in full.
    redis.commands().scriptFlush();
    redis.commands().clientPause(RedisConnections.WRITE.multipliedBy(5).toMillis());
    // Slow at first, and gone when the silence has lasted.
    Awaitility.await().until(() -> !failure(() -> cache.tryLease("a")).isSlow());
    assertThatThrownBy(() -> cache.tryLease("b"))
        .as("not waited for again at once")
        .isInstanceOf(CacheUnavailableException.class)
        .hasMessageContaining("a moment ago");
    ValueCache another = cache("late", SETTINGS, connections);
    Awaitility.await()
        .atMost(SETTINGS.lease().dividedBy(2))
        .ignoreExceptions()
        .until(() -> another.tryLease("a") != null);
  }

  /** Names of equal length in other alphabets, as caches and as key prefixes. */
  @Test
  void namesBeyondAsciiAreKeptApart() {
    ValueCache users = cache("用户", SETTINGS, connections);
    ValueCache orders = cache("订单", SETTINGS, connections);
    store(users, "a", "user");
    store(orders, "b", null);
    assertThat(orders.lookup("a", STRING)).isEqualTo(CacheLookup.miss());
    assertThat(users.lookup("b", STRING)).isEqualTo(CacheLookup.miss());
    ValueCache other = cache("用户", SETTINGS, connections, "büro");
    store(cache("用户", SETTINGS, connections, "bäro"), "a", "theirs");
    assertThat(other.lookup("a", STRING)).isEqualTo(CacheLookup.miss());
    assertThat(RedisKeys.like(redis.commands(), "bloomguard:{用户:*}:value")).hasSize(1);

    users.dropAll();
    assertThat(users.lookup("a", STRING)).isEqualTo(CacheLookup.miss());
    assertThat(orders.lookup("b", STRING)).isEqualTo(CacheLookup.nullHit());
  }

  /** A filter of the same name has keys there, too. */
  @Test
  void whereAllIsDroppedOtherKeysStay() {
    String name = "other[keys]-" + NAMES.incrementAndGet();
    ValueCache cache = cache(name, SETTINGS, connections);
    store(cache, "a", "value");
    cache.endWrite("b", "w");
    cache.beginWrite("c", "w");
    byte[] lock = ("bloomguard:{" + name + ":0}:lock").getBytes(UTF_8);
    redis.commands().set(lock, lock);
    cache.dropAll();
    assertThat(cache.lookup("a", STRING)).isEqualTo(CacheLookup.miss());
    assertThat(redis.commands().exists(lock)).isEqualTo(1);
    assertThat(cache.lastWrite("b")).isNotNull();
    assertThat(cache.lastWrite("c")).isNotNull();
  }

  @Test
  void whereAllIsDroppedTheValuesOfACacheWithALongerNameStay() {
    String name = "short-" + NAMES.incrementAndGet();
    ValueCache cache = cache(name, SETTINGS, connections);
    ValueCache longer = cache(name + ":longer", SETTINGS, connections);
    store(cache, "a", "value");
    store(longer, "a", "other");
    cache.dropAll();
    assertThat(cache.lookup("a", STRING)).isEqualTo(CacheLookup.miss());
    assertThat(longer.lookup("a", STRING)).isEqualTo(CacheLookup.hit("other"));
  }

  @Test
  void whatIsDroppedAtOnceIsDroppedAtEveryMasterOfACluster() throws Exception {
    int bus = EmbeddedRedis.freePort();
    try (EmbeddedRedis one = master(EmbeddedRedis.freePort());
        EmbeddedRedis other = master(bus)) {
      List<EmbeddedRedis> masters = List.of(one, other);
      one.commands().clusterAddSlots(IntStream.range(0, SLOTS / 2).toArray());
      other.commands().clusterAddSlots(IntStream.range(SLOTS / 2, SLOTS).toArray());
      meet(one, other.port(), bus);
      for (EmbeddedRedis each : masters) {
        Awaitility.await().until(() -> each.commands().clusterInfo().contains("state:ok"));
      }
      try (RedisConnections cluster =
          new RedisConnections(
              new LettuceConnectionFactory(
                  new RedisClusterConfiguration(List.of("127.0.0.1:" + one.port()))),
              Duration.ofSeconds(5))) {
        assertThat(cluster.awaitConnected(Duration.ofSeconds(20))).isTrue();
        ValueCache cache = cache("cluster", SETTINGS, cluster);
        List<String> keys = IntStream.range(0, 100).mapToObj(i -> "key" + i).toList();
        keys.forEach(key -> store(cache, key, "old"));
        assertThat(masters).allMatch(each -> each.commands().dbsize() > 10);
        cache.dropAll();
        assertThat(cache.lookupAll(keys, STRING)).containsOnly(CacheLookup.miss());
        assertThat(masters).allMatch(each -> each.commands().dbsize() == 0);

        keys.forEach(key -> store(cache, key, "old"));
        cache.invalidate(keys);
        assertThat(cache.lookupAll(keys, STRING)).containsOnly(CacheLookup.miss());
        assertThat(keys).noneMatch(key -> cache.lastWrite(key) == null);
      }
    }
  }

  private static EmbeddedRedis master(int bus) {
    return new EmbeddedRedis(List.of("cluster-enabled yes", "cluster-port " + bus));
  }

  private static void meet(EmbeddedRedis one, int port, int bus) {
    one.commands()
        .dispatch(
            CommandType.CLUSTER,
            new StatusOutput<>(ByteArrayCodec.INSTANCE),
            new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add("MEET")
                .add("127.0.0.1")
                .add(port)
                .add(bus));
  }
}
