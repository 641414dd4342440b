package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.Membership;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.redisson.api.RBloomFilter;

/** Batches of keys in Redis. */
@Suite(
    order = 42,
    per = "batch",
    title = "A batch of keys in Redis, a million keys",
    brief = "100 present",
    text =
        """
        100 keys in one call, by one caller; 1 %, all keys in the filter. `bloomguard` has one-word
        blocks, the default in Redis at 1 %; `bloomguardBlock512` has blocks of eight words. Times
        are for each key.
        """,
    plots = @Suite.Plot(title = "A batch of 100 keys in Redis: ns a key"))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class RedisBatchBenchmark {

  @Param("100")
  private int batch;

  private BenchRedis redis;
  private GenerationStore bloomguard;
  private RBloomFilter<String> redisson;
  private RedisBloom redisBloom;
  private List<List<String>> batches;
  private int next;

  @Setup
  public void fill(BenchmarkParams run) throws Exception {
    int n = BenchForm.size(1_000_000, 2_000);
    redis = new BenchRedis();
    String[] keys = BenchKeys.sample(Kind.IDS, 1 << 14, n, true);
    batches = new ArrayList<>();
    for (int from = 0; from + batch <= keys.length; from += batch) {
      batches.add(List.of(Arrays.copyOfRange(keys, from, from + batch)));
    }
    switch (Peers.contestant(run)) {
      case "bloomguard" -> bloomguard = bloomguard(n, 1);
      case "bloomguardBlock512" -> bloomguard = bloomguard(n, 8);
      case "redissonContains" -> {
        redisson = redis.redisson("redisson", n);
        redisson.add(Arrays.asList(keys));
      }
      case "redisBloomExists" -> {
        redisBloom = new RedisBloom(n);
        redisBloom.addAll(Arrays.asList(keys)).get();
      }
      default -> throw new IllegalArgumentException(Peers.contestant(run));
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

  private List<String> next() {
    if (next == batches.size()) {
      next = 0;
    }
    return batches.get(next++);
  }

  @Benchmark
  public Membership[] bloomguard() {
    return BenchRedis.expectPresent(bloomguard.checkAll(next()));
  }

  @Benchmark
  public Membership[] bloomguardBlock512() {
    return BenchRedis.expectPresent(bloomguard.checkAll(next()));
  }

  @Benchmark
  public long redissonContains() {
    return redisson.contains(next());
  }

  @Benchmark
  public List<Object> redisBloomExists() throws ExecutionException, InterruptedException {
    return redisBloom.existAll(next());
  }
}
