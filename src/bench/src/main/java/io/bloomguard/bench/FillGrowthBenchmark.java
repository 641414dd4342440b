package io.bloomguard.bench;

import io.bloomguard.generation.KeySource;
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

/** What a rebuild costs as the source grows. */
@Suite(
    order = 91,
    per = "keys",
    title = "A rebuild against the number of keys",
    text =
        """
        A warm-up from a source that makes numbers on demand, at 1 %, by one thread.
        Times are for each key, so a straight line is a cost in proportion to the keys. The cost
        of a rebuild beside its keys (the sizing, a new array of bits, the swap) shows at the left
        end; at the right end the bits no longer fit the caches, of which the second has {L2} and the
        third {L3}.
        """,
    plots =
        @Suite.Plot(
            title = "A rebuild at 1 % against the number of keys: ns a key",
            against = "keys",
            logarithmic = true))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 1, time = 2)
@Measurement(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class FillGrowthBenchmark {

  @Param({"10000", "100000", "1000000", "10000000", "100000000"})
  private int keys;

  private KeySource source;
  private int n;

  @Setup
  public void make() {
    n = BenchForm.size(keys, 10_000);
    source = Fills.ids(n);
  }

  @Benchmark
  public Object bloomguard() {
    return Fills.local(source, n, 0.01, 0);
  }
}
