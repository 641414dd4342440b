package io.bloomguard.bench;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.generation.KeySource;
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

/** Warming a filter up with keys that lie in memory. */
@Suite(
    order = 30,
    per = "keys",
    title = "Warm-up of 20 million keys in memory",
    brief = "text, beside `put` in a loop",
    shown = "type=STRING",
    text =
        """
        From an array of keys to a filter that serves: `bloomguard` through a `KeySource`, with the
        key rules, the journal and the swap of generations, as an application warms up, on one thread and
        on two; Guava by
        `put` in a loop. Times are for each key.
        """,
    plots = @Suite.Plot(title = "Warm-up of 20M keys at 1 %: ns a key"))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
public class FillBenchmark {

  private static final double P = 0.01;

  /** The type of the keys in memory. */
  public enum Type {
    STRING,
    LONG
  }

  @Param({"20000000"})
  private int keys;

  @Param private Type type;

  private int n;
  private String[] strings;
  private long[] longs;

  @Setup
  public void makeKeys() {
    n = BenchForm.size(keys, 10_000);
    if (type == Type.STRING) {
      strings = new String[n];
      for (int i = 0; i < n; i++) {
        strings[i] = Kind.IDS.key(BenchKeys.present(i));
      }
    } else {
      longs = new long[n];
      for (int i = 0; i < n; i++) {
        longs[i] = BenchKeys.id(BenchKeys.present(i));
      }
    }
  }

  private KeySource source() {
    return sink -> {
      if (type == Type.STRING) {
        for (String key : strings) {
          sink.accept(key);
        }
      } else {
        for (long key : longs) {
          sink.accept(key);
        }
      }
    };
  }

  @Benchmark
  public Object bloomguard() {
    return Fills.local(source(), n, P, 0);
  }

  @Benchmark
  public Object bloomguardTwoThreads() {
    return Fills.local(source(), n, P, 1);
  }

  @Benchmark
  public Object guava() {
    return type == Type.STRING ? guavaOfStrings() : guavaOfLongs();
  }

  private Object guavaOfStrings() {
    BloomFilter<CharSequence> filter =
        BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), n, P);
    for (String key : strings) {
      filter.put(key);
    }
    return filter;
  }

  private Object guavaOfLongs() {
    BloomFilter<Long> filter = BloomFilter.create(Funnels.longFunnel(), n, P);
    for (long key : longs) {
      filter.put(key);
    }
    return filter;
  }
}
