package io.bloomguard.redis.internal.generation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.FilterPlan;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.SerializedValues;
import io.bloomguard.image.ImagePlan;
import io.bloomguard.redis.EmbeddedRedis;
import io.bloomguard.redis.RedisKeys;
import io.bloomguard.redis.TestRedisFilters;
import io.bloomguard.redis.internal.cache.RedisValueCache;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.partition.Clocks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** A Redis for a test class, two processes that share it, and a filter name for each test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("redis")
public abstract class RedisTestBase {

  /** Large and sparse: what was never added is as good as never present. */
  public static final FilterShape SHAPE = Sizing.shape(Layout.BLOCKED, 20_000, 1e-9);

  public static final HashSecret SECRET = HashSecret.parse("00112233445566778899aabbccddeeff");

  public static final Duration RETENTION = Duration.ofMinutes(10);

  /** Nobody else may come forward later: a doubt need not last. */
  public static final Limits AT_ONCE = Limits.USUAL.withGrace(Duration.ZERO);

  /** Of an image set. */
  public static final int SLICE_BYTES = 4096;

  private static final AtomicInteger NAMES = new AtomicInteger();

  public EmbeddedRedis redis;
  public RedisConnections first;
  public RedisConnections second;
  public String filter = "";

  @BeforeAll
  public void start() {
    redis = new EmbeddedRedis();
    first = redis.connections();
    second = redis.connections();
  }

  @AfterAll
  public void stop() throws Exception {
    redis.close();
  }

  @BeforeEach
  public void name() {
    filter = "filter-" + NAMES.incrementAndGet();
  }

  public SchemeStore store(RedisConnections connections) {
    return store(connections, SHAPE);
  }

  public SchemeStore store(RedisConnections connections, FilterShape shape) {
    return store(connections, shape, AT_ONCE);
  }

  public SchemeStore store(RedisConnections connections, FilterShape shape, Limits limits) {
    return store(settings(connections, shape), limits);
  }

  public static SchemeStore store(RedisFilter settings, Limits limits) {
    return store(settings, SECRET, KeyHash.SIPHASH_1_3, limits);
  }

  /** The process that knows one scheme alone. */
  public static SchemeStore store(
      RedisFilter settings, HashSecret secret, KeyHash hash, Limits limits) {
    return store(settings, secret, hash, limits, Clocks.SYSTEM);
  }

  public static SchemeStore store(
      RedisFilter settings, HashSecret secret, KeyHash hash, Limits limits, Clocks clocks) {
    int count = limits.partitions(settings.configured());
    SchemeContext space =
        new SchemeContext(hash.hasher(secret), count, false, hash.hasher(secret).folding());
    return new SchemeStore(settings, space, limits, clocks);
  }

  /** Of a process without a copy. */
  public RedisFilter settings(RedisConnections connections, FilterShape shape) {
    return settings(connections, shape, null);
  }

  public RedisFilter settings(
      RedisConnections connections, FilterShape shape, @Nullable ReplicaSettings replica) {
    return TestRedisFilters.filter(filter, shape, connections, "bloomguard", RETENTION, replica);
  }

  /** A value cache of the test's filter. */
  public RedisValueCache valueCache(
      RedisConnections connections, CacheSettings settings, KeyDigest digest) {
    return new RedisValueCache(
        filter, settings, digest, connections, "bloomguard", new SerializedValues());
  }

  /** Those of some keys that have an answer. */
  public static List<String> answered(
      GenerationStore store, List<String> asked, Membership answer) {
    Membership[] answers = store.checkAll(asked);
    return IntStream.range(0, answers.length)
        .filter(i -> answers[i] == answer)
        .mapToObj(asked::get)
        .toList();
  }

  /** The key of the only image of the test's filter in partition 0. */
  public byte[] image() {
    List<byte[]> images = images();
    if (images.size() != 1) {
      throw new IllegalStateException(images.size() + " images");
    }
    return images.get(0);
  }

  public List<byte[]> images() {
    return RedisKeys.like(redis.commands(), "bloomguard:{" + filter + ":*}:image:*");
  }

  public byte[] key(String kind) {
    return ("bloomguard:{" + filter + ":0}:" + kind).getBytes(UTF_8);
  }

  /** The plan of image sets for a filter of the usual shape, in several slices a partition. */
  public ImagePlan plan(HashSecret secret, Limits limits) {
    return ImagePlan.of(
        filter,
        FilterPlan.split(SHAPE, limits.partitions(SHAPE)),
        KeyHash.SIPHASH_1_3,
        secret,
        KeyFolding.EXACT,
        SLICE_BYTES);
  }

  /** As if the journals of the first partitions were old. */
  public void reachBack(int partitions) {
    for (int i = 0; i < partitions; i++) {
      byte[] head = ("bloomguard:{" + filter + ":" + i + "}:head").getBytes(UTF_8);
      redis.commands().hset(head, "whole".getBytes(UTF_8), "1".getBytes(UTF_8));
    }
  }

  public static void build(GenerationStore store, FilterShape shape, List<String> keys) {
    try (GenerationStore.Build build = store.beginBuild(shape)) {
      build.addAll(keys.toArray(new String[0]), keys.size());
      build.publish();
    }
  }

  /**
   * Builds as a process that knows of no others and leaves: the doubt about its new head, in which
   * others would come forward, ends at once.
   */
  public void buildAlone(FilterShape shape, List<String> keys) {
    SchemeStore alone = store(first, shape, AT_ONCE);
    build(alone, shape, keys);
    alone.close();
  }

  /** Goes on with a process' maintenance beside the test, until interrupted. */
  public static Thread maintaining(GenerationStore store) {
    Thread thread =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) {
                store.maintain();
              }
            });
    thread.start();
    return thread;
  }

  public static List<String> numbers(long from, long to) {
    return LongStream.range(from, to).mapToObj(Long::toString).toList();
  }
}
