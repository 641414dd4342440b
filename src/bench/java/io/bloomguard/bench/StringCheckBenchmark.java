package io.bloomguard.bench;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.BlockedFilter;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.SipHash;
import io.bloomguard.filter.Sizing;
import java.nio.charset.StandardCharsets;
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
import org.openjdk.jmh.annotations.Warmup;

/** One check of a String at a time. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class StringCheckBenchmark {

  @Param({"IDS"})
  Kind kind;

  @Param({"1000000"})
  int size;

  BlockedFilter bloomguard;
  BloomFilter<CharSequence> guava;
  String[] keys;
  int next;

  @Setup
  public void fill() {
    int n = BenchForm.size(size, 10_000);
    bloomguard =
        new BlockedFilter(
            Sizing.shape(Layout.BLOCKED, n, 0.01), SipHash.oneThree(HashSecret.random()));
    guava = BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), n, 0.01);
    for (int i = 0; i < n; i++) {
      String key = kind.key(BenchKeys.present(i));
      bloomguard.add(key);
      guava.put(key);
    }
    keys = BenchKeys.sample(kind, 1 << 14, n, true);
  }

  @Benchmark
  public boolean bloomguard() {
    return bloomguard.mightContain(keys[next++ & keys.length - 1]);
  }

  @Benchmark
  public boolean guava() {
    return guava.mightContain(keys[next++ & keys.length - 1]);
  }
}
