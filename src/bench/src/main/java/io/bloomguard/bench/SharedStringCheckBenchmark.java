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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** One check of a String at a time, by two threads that share the filter. */
@Suite(
    order = 11,
    title = "A check of a String, a million keys, two threads",
    brief = "absent",
    shown = "answer=ABSENT",
    text =
        """
        The same with two threads. A time is one thread's for one check: a contestant whose time does not grow
        against the table above scales.
        """)
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Threads(2)
public class SharedStringCheckBenchmark extends StringChecks {

  @Param private KeyPresence answer;

  @Setup
  public void fill(BenchmarkParams run) {
    int n = BenchForm.size(1_000_000, 10_000);
    fill(run, Kind.IDS, n, 0.01, answer == KeyPresence.PRESENT, 1 << 13);
  }
}
