package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import java.util.concurrent.TimeUnit;
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

/** One check of a String at a time, of a filter that the caches do not hold. */
@Suite(
    order = 12,
    title = "A check of a String, 20 million keys",
    brief = "absent, 1 %",
    shown = {"answer=ABSENT", "p=0.01"},
    text =
        """
        The same with 20 million decimal ids and 1,048,576 of them looked up, so that a check finds its
        bits in no cache of the core.
        """,
    plots = @Suite.Plot(title = "A check of a String, 20M keys at 1 %: ns", where = "p=0.01"))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class ColdStringCheckBenchmark extends StringChecks {

  @Param({"0.01", "0.001"})
  private double p;

  @Param private KeyPresence answer;

  @Setup
  public void fill(BenchmarkParams run) {
    int n = BenchForm.size(20_000_000, 10_000);
    fill(run, Kind.IDS, n, p, answer == KeyPresence.PRESENT, BenchForm.size(1 << 20, 1 << 12));
  }
}
