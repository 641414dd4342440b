package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.Membership;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;
import org.redisson.api.RBloomFilter;

/** The contestants that check one key at a time in Redis; how many callers, a subclass says. */
@State(Scope.Benchmark)
public abstract class RedisChecks {

  private static final byte[] BITMAP = "bitmap".getBytes(StandardCharsets.US_ASCII);
  private static final int LOOKUPS = 1 << 14;

  private BenchRedis redis;
  private GenerationStore bloomguard;
  private RBloomFilter<String> redisson;
  private StatefulRedisConnection<byte[], byte[]> connection;
  private RedisBloom redisBloom;
  private long size;
  private String[] keys;

  /** Where a thread is in the keys: each begins elsewhere. */
  @State(Scope.Thread)
  public static class Walk {

    private int next;

    @Setup
    public void begin(ThreadParams thread) {
      next = thread.getThreadIndex() << 9;
    }
  }

  @Setup
  public void fill(BenchmarkParams run) throws Exception {
    int n = BenchForm.size(1_000_000, 2_000);
    redis = new BenchRedis();
    connection = redis.connection();
    size = Sizing.classicBits(n, BenchRedis.P);
    switch (Peers.contestant(run)) {
      case "bloomguard" -> bloomguard = bloomguard(n, 1);
      case "bloomguardBlock512" -> bloomguard = bloomguard(n, 8);
      case "redissonContains" -> redisson = redis.redisson("redisson", n);
      case "redisBloomExists" -> redisBloom = new RedisBloom(n);
      default -> {}
    }
    keys = BenchKeys.sample(Kind.IDS, LOOKUPS, n, true);
    // What the lookups meet; a fuller bitmap would not make them slower.
    List<String> present = Arrays.asList(keys);
    if (redisson != null) {
      redisson.add(present);
    } else if (redisBloom != null) {
      redisBloom.addAll(present).get();
    } else if (bloomguard == null) {
      List<Future<?>> sent = new ArrayList<>();
      for (String key : keys) {
        for (long bit : BenchRedis.bits(key, size)) {
          sent.add(connection.async().setbit(BITMAP, bit, 1));
        }
      }
      for (Future<?> each : sent) {
        each.get();
      }
    }
  }

  private GenerationStore bloomguard(int n, int blockWords) {
    FilterShape shape = Sizing.blocked(n, BenchRedis.P, blockWords);
    GenerationStore store = redis.bloomguard("products", shape);
    BenchRedis.fill(store, shape, n);
    return store;
  }

  @TearDown
  public void stop() throws Exception {
    if (redisBloom != null) {
      redisBloom.close();
    }
    redis.close();
  }

  private String next(Walk walk) {
    return keys[walk.next++ & LOOKUPS - 1];
  }

  @Benchmark
  public Membership[] bloomguard(Walk walk) {
    return BenchRedis.expectPresent(bloomguard.check(next(walk)));
  }

  @Benchmark
  public Membership[] bloomguardBlock512(Walk walk) {
    return BenchRedis.expectPresent(bloomguard.check(next(walk)));
  }

  @Benchmark
  public boolean getbitUnpipelined(Walk walk) throws ExecutionException, InterruptedException {
    for (long bit : BenchRedis.bits(next(walk), size)) {
      if (connection.async().getbit(BITMAP, bit).get() == 0) {
        return false;
      }
    }
    return true;
  }

  @Benchmark
  public boolean getbitPipelined(Walk walk) throws ExecutionException, InterruptedException {
    RedisAsyncCommands<byte[], byte[]> commands = connection.async();
    List<RedisFuture<Long>> sent = new ArrayList<>(BenchRedis.K);
    for (long bit : BenchRedis.bits(next(walk), size)) {
      sent.add(commands.getbit(BITMAP, bit));
    }
    boolean present = true;
    for (RedisFuture<Long> bit : sent) {
      present &= bit.get() == 1;
    }
    return present;
  }

  @Benchmark
  public boolean redissonContains(Walk walk) {
    return redisson.contains(next(walk));
  }

  @Benchmark
  public boolean redisBloomExists(Walk walk) throws ExecutionException, InterruptedException {
    return redisBloom.exists(next(walk));
  }

  /** Not a check: what any command costs with the same client. */
  @Benchmark
  public String ping() throws ExecutionException, InterruptedException {
    return connection.async().ping().get();
  }
}
