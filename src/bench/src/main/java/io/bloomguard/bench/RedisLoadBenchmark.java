package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.GenerationStore;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.redisson.api.RBloomFilter;

/** Filling a filter in Redis with many keys at once. */
@Suite(
    order = 43,
    title = "A bulk load into Redis: ns a key",
    brief = "10 million, beside adds",
    text =
        """
        From keys in memory to a filter in Redis that serves, at 1 %. `bloomguard` builds a
        generation of 10 million keys in one-word blocks, `bloomguard1M` one of a million, image,
        upload and swap included. The others add to a filter made for a million keys, in batches
        of 1,000 where they have batches: 2,000 keys by SETBIT without pipelining, 100,000 with, and
        by Redisson and RedisBloom. More keys would not make one of them more expensive. `bloomguard` hashes
        on as many threads as there are cores; a source's key rules are not in the figure.
        """)
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Xmx4g")
@Warmup(iterations = 2)
@Measurement(iterations = 5)
public class RedisLoadBenchmark {

  private static final byte[] BITMAP = "bitmap".getBytes(StandardCharsets.US_ASCII);
  private static final int TEN_MILLION = 10_000_000;
  private static final int MILLION = 1_000_000;
  private static final int MANY = 100_000;
  private static final int FEW = 2_000;
  private static final int BATCH = 1_000;

  private BenchRedis redis;
  private GenerationStore bloomguard;
  private RBloomFilter<String> redisson;
  private RedisBloom redisBloom;
  private FilterShape shape;
  private long size;
  private String[] keys;
  private int count;

  @Setup
  public void makeKeys(BenchmarkParams run) throws Exception {
    redis = new BenchRedis();
    int full =
        switch (Peers.contestant(run)) {
          case "bloomguard" -> TEN_MILLION;
          case "bloomguard1M" -> MILLION;
          case "setbitUnpipelined" -> FEW;
          default -> MANY;
        };
    count = BenchForm.size(full, FEW);
    keys = new String[count];
    for (int i = 0; i < count; i++) {
      keys[i] = Kind.IDS.key(BenchKeys.present(i));
    }
    size = Sizing.classicBits(MILLION, BenchRedis.P);
    shape = Sizing.blocked(count, BenchRedis.P, 1);
    switch (Peers.contestant(run)) {
      case "bloomguard", "bloomguard1M" -> bloomguard = redis.bloomguard("products", shape);
      case "redissonAddAll" -> redisson = redis.redisson("redisson", MILLION);
      default -> {}
    }
  }

  @Setup(Level.Iteration)
  public void empty(BenchmarkParams run) throws Exception {
    redis.connection().sync().del(BITMAP);
    if (redisson != null) {
      redisson.delete();
      redisson.tryInit(MILLION, BenchRedis.P);
    }
    if (Peers.contestant(run).equals("redisBloomMadd")) {
      redisBloom = new RedisBloom(MILLION);
    }
  }

  @TearDown(Level.Iteration)
  public void leave() {
    if (redisBloom != null) {
      redisBloom.close();
    }
  }

  @TearDown
  public void stop() throws Exception {
    redis.close();
  }

  @Benchmark
  @OperationsPerInvocation(TEN_MILLION)
  public Object bloomguard() {
    return build();
  }

  @Benchmark
  @OperationsPerInvocation(MILLION)
  public Object bloomguard1M() {
    return build();
  }

  private Object build() {
    try (GenerationStore.Build build = bloomguard.beginBuild(shape)) {
      String[] batch = new String[BATCH];
      for (int from = 0; from < count; from += BATCH) {
        System.arraycopy(keys, from, batch, 0, BATCH);
        build.addAll(batch, BATCH);
      }
      build.publish();
    }
    return bloomguard;
  }

  @Benchmark
  @OperationsPerInvocation(FEW)
  public void setbitUnpipelined() throws Exception {
    for (String key : keys) {
      for (long bit : BenchRedis.bits(key, size)) {
        redis.connection().async().setbit(BITMAP, bit, 1).get();
      }
    }
  }

  @Benchmark
  @OperationsPerInvocation(MANY)
  public void setbitPipelined() throws Exception {
    RedisAsyncCommands<byte[], byte[]> commands = redis.connection().async();
    redis.connection().setAutoFlushCommands(false);
    Queue<Future<?>> sent = new ArrayDeque<>();
    for (int from = 0; from < count; from += BATCH) {
      for (int i = from; i < from + BATCH; i++) {
        for (long bit : BenchRedis.bits(keys[i], size)) {
          sent.add(commands.setbit(BITMAP, bit, 1));
        }
      }
      redis.connection().flushCommands();
      for (Future<?> each = sent.poll(); each != null; each = sent.poll()) {
        each.get();
      }
    }
    redis.connection().setAutoFlushCommands(true);
  }

  @Benchmark
  @OperationsPerInvocation(MANY)
  public void redissonAddAll() {
    List<String> all = Arrays.asList(keys);
    for (int from = 0; from < count; from += BATCH) {
      redisson.add(all.subList(from, from + BATCH));
    }
  }

  @Benchmark
  @OperationsPerInvocation(MANY)
  public void redisBloomMadd() throws Exception {
    List<String> all = Arrays.asList(keys);
    for (int from = 0; from < count; from += BATCH) {
      redisBloom.addAll(all.subList(from, from + BATCH)).get();
    }
  }
}
