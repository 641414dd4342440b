package io.bloomguard.bench;

import com.google.common.hash.BloomFilter;
import io.bloomguard.filter.internal.BlockedFilter;
import java.util.concurrent.TimeUnit;
import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.xor.XorFuse8;
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

/** One check of a number at a time. */
@Suite(
    order = 20,
    title = "A check of a long, 20 million keys",
    brief = "absent, 1 %",
    shown = {"answer=ABSENT", "p=0.01"},
    text =
        """
        One number at a time, 20 million of them in the filter, 1,048,576 looked up. Bloomguard
        hashes a number as its decimal text, so that `42` and `"42"` are the same key; Guava has its
        `longFunnel`, fastfilter takes numbers as they are.
        """,
    plots = @Suite.Plot(title = "A check of a long, 20M keys at 1 %: ns", where = "p=0.01"))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class LongCheckBenchmark {

  @Param({"0.01", "0.001"})
  private double p;

  @Param private KeyPresence answer;

  private BlockedFilter bloomguard;
  private BloomFilter<Long> guava;
  private BlockedBloom fastfilterBlocked;
  private XorFuse8 fastfilterFuse8;
  private long[] keys;
  private int next;

  @Setup
  public void fill(BenchmarkParams run) {
    int n = BenchForm.size(20_000_000, 10_000);
    switch (Peers.contestant(run)) {
      case "bloomguard" -> bloomguard = Peers.bloomguardIds(n, p);
      case "guava" -> guava = Peers.guavaIds(n, p);
      case "fastfilterBlocked" -> fastfilterBlocked = Peers.blockedBloomIds(n, p);
      case "fastfilterFuse8" -> fastfilterFuse8 = Peers.fuse8Ids(n);
      default -> throw new IllegalArgumentException(Peers.contestant(run));
    }
    keys = BenchKeys.sampleIds(BenchForm.size(1 << 20, 1 << 12), n, answer == KeyPresence.PRESENT);
  }

  private long next() {
    return keys[next++ & keys.length - 1];
  }

  @Benchmark
  public boolean bloomguard() {
    return bloomguard.mightContain(next());
  }

  @Benchmark
  public boolean guava() {
    return guava.mightContain(next());
  }

  @Benchmark
  public boolean fastfilterBlocked() {
    return fastfilterBlocked.mayContain(next());
  }

  @Benchmark
  public boolean fastfilterFuse8() {
    return fastfilterFuse8.mayContain(next());
  }
}
