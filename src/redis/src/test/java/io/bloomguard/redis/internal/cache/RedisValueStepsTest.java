package io.bloomguard.redis.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.guard.AsyncValueCache;
import io.bloomguard.guard.CacheLookup;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.CacheUnavailableException;
import io.bloomguard.guard.Lease;
import io.bloomguard.guard.SerializedValues;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCacheContractTest;
import io.bloomguard.guard.ValueType;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A value cache in Redis whose steps do not wait: the same cache, on threads of the caller's. */
@Tag("redis")
class RedisValueStepsTest extends ValueCacheContractTest {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final String THREAD = "reads-answers";

  private static ExecutorService threads;
  private static EmbeddedRedis redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    redis = new EmbeddedRedis();
    connections = redis.connections();
    threads = Executors.newSingleThreadExecutor(task -> new Thread(task, THREAD));
  }

  @AfterAll
  static void stop() throws Exception {
    threads.shutdownNow();
    redis.close();
  }

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return new Stepwise(cache("steps-" + NAMES.incrementAndGet(), settings, connections));
  }

  private static ValueCache cache(String name, CacheSettings settings, RedisConnections at) {
    return new RedisValueCache(
        name,
        settings,
        new KeyDigest(HashSecret.parse("00112233445566778899aabbccddeeff")),
        at,
        "bloomguard",
        new SerializedValues());
  }

  @Override
  protected void pass(ValueCache cache, Duration time) throws Exception {
    byte[] timer = ("timer-" + NAMES.incrementAndGet()).getBytes();
    redis.commands().psetex(timer, time.toMillis(), timer);
    while (redis.commands().exists(timer) == 1) {
      Thread.onSpinWait();
    }
  }

  @Test
  void noStepWaitsForRedisAndEachAnswerComesOnAThreadOfTheCallers() {
    ValueCache cache = cache("unhurried", SETTINGS, connections);
    AsyncValueCache steps = cache.async(threads);
    assertThat(steps.lookAgain("a", STRING).join()).isEqualTo(CacheLookup.miss());
    Lease held = lease(cache, "held");
    redis.commands().clientPause(500);
    List<CompletableFuture<?>> sent =
        List.of(
            steps.lookAgain("a", STRING),
            steps.tryLease("b"),
            steps.store(held, "value", STRING),
            steps.lastWrite("a"));
    List<CompletableFuture<String>> read =
        sent.stream()
            .<CompletableFuture<String>>map(
                answer -> answer.handle((value, failure) -> Thread.currentThread().getName()))
            .toList();
    assertThat(sent).as("Redis answers nothing yet").noneMatch(CompletableFuture::isDone);
    assertThat(read)
        .allSatisfy(
            answer -> assertThat(answer).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(THREAD));
    assertThat(cache.lookup("held", STRING)).isEqualTo(CacheLookup.hit("value"));
  }

  /** In real time: Redis stands still for longer than a write waits. */
  @Tag("waits")
  @Test
  void aSilentRedisIsSlowAtFirst() {
    AsyncValueCache steps = cache("silent", SETTINGS, connections).async(threads);
    assertThat(steps.lookAgain("a", STRING).join()).isEqualTo(CacheLookup.miss());
    redis.commands().clientPause(RedisConnections.WRITE.plusMillis(300).toMillis());
    assertThat(steps.tryLease("a"))
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .withCauseInstanceOf(CacheUnavailableException.class);
  }

  /** A cache whose callers wait for its steps. */
  private record Stepwise(ValueCache cache) implements ValueCache {

    private AsyncValueCache steps() {
      return cache.async(threads);
    }

    @SuppressWarnings("NullAway") // some answers are null
    private static <T extends @Nullable Object> T join(CompletableFuture<T> step) {
      try {
        return step.join();
      } catch (CompletionException e) {
        throw (RuntimeException) e.getCause();
      }
    }

    @Override
    public <V> CacheLookup<V> lookup(String key, ValueType<V> type) {
      return join(steps().lookup(key, type));
    }

    @Override
    public <V> CacheLookup<V> lookAgain(String key, ValueType<V> type) {
      return join(steps().lookAgain(key, type));
    }

    @Override
    public @Nullable Lease tryLease(String key) {
      return join(steps().tryLease(key));
    }

    @Override
    public StoreResult store(Lease lease, @Nullable Object value, ValueType<?> type) {
      return join(steps().store(lease, value, type));
    }

    @Override
    public void release(Lease lease) {
      join(steps().release(lease));
    }

    @Override
    public void beginWrite(String key, String token) {
      cache.beginWrite(key, token);
    }

    @Override
    public void endWrite(String key, String token) {
      cache.endWrite(key, token);
    }

    @Override
    public void dropAll() {
      cache.dropAll();
    }

    @Override
    public @Nullable Long lastWrite(String key) {
      return join(steps().lastWrite(key));
    }
  }
}
