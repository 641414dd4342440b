package io.bloomguard.bench;

import com.google.common.hash.BloomFilter;
import io.bloomguard.filter.internal.BlockedFilter;
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
import org.openjdk.jmh.infra.BenchmarkParams;

/** What a check costs as the filter grows. */
@Suite(
    order = 90,
    title = "A check against the number of keys",
    text =
        """
        Numbers that are present, one at a time, at 1 %; up to 1,048,576 of them are looked up, in
        random order. The work of a check is the same at every size: only the place of the bits
        changes. A core's first cache has {L1}, its second {L2}, and holds the filter of
        {keys in L2}; the third has {L3}, for {keys in L3} if no other program uses it. The line is flat
        as long as the filter lies in the second cache, rises by the latency of the third beyond, and
        by that of the memory where that ends too; there each check also needs a page's address that
        the TLB no longer has, since pages are of 4 KiB unless the JVM is configured otherwise
        (`-XX:+UseTransparentHugePages`). Bloomguard pays for one cache line a check, Guava for as
        many as it has hashes, so its steps are the higher ones, though the processor fetches several
        lines at a time.
        """,
    plots =
        @Suite.Plot(
            title = "A check of a long at 1 % against the number of keys: ns",
            against = "keys",
            logarithmic = true))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class GrowthBenchmark {

  private static final double P = 0.01;

  @Param({
    "10000",
    "30000",
    "100000",
    "300000",
    "1000000",
    "3000000",
    "10000000",
    "30000000",
    "100000000"
  })
  private int keys;

  private BlockedFilter bloomguard;
  private BloomFilter<Long> guava;
  private long[] lookups;
  private int next;

  @Setup
  public void fill(BenchmarkParams run) {
    int n = BenchForm.size(keys, 10_000);
    if (Peers.contestant(run).equals("bloomguard")) {
      bloomguard = Peers.bloomguardIds(n, P);
    } else {
      guava = Peers.guavaIds(n, P);
    }
    int count = Math.min(1 << 20, Integer.highestOneBit(n));
    lookups = BenchKeys.sampleIds(count, n, true);
  }

  private long next() {
    return lookups[next++ & lookups.length - 1];
  }

  @Benchmark
  public boolean bloomguard() {
    return bloomguard.mightContain(next());
  }

  @Benchmark
  public boolean guava() {
    return guava.mightContain(next());
  }
}
