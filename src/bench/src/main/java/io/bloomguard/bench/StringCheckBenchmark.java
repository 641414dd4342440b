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

/** One check of a String at a time, of a filter that the caches hold. */
@Suite(
    order = 10,
    title = "A check of a String, a million keys",
    brief = "absent ids at 1 %",
    shown = {"answer=ABSENT", "kind=IDS", "p=0.01"},
    text =
        """
        One check at a time, by one thread, of a filter of a million keys. 8,192 distinct keys are
        looked up repeatedly in random order: too many for the branch predictor to learn, and few
        enough to lie in the second cache, as the key of a request does. All of a run's keys are in the
        filter, or none is: a check that can stop at the first clear bit then does. `bloomguard` has its default hash, under a
        secret. fastfilter takes 64-bit numbers, so its filters get hash4j's wyhash of the text;
        neither of them may be written while it is read. `fastfilterFuse8` cannot be added to, and
        its false-positive probability is 0.4 % whatever is asked for.
        """,
    plots = {
      @Suite.Plot(
          title = "A check of a String, 1M keys at 1 %, keys that are absent: ns",
          where = {"p=0.01", "answer=ABSENT"}),
      @Suite.Plot(
          title = "A check of a String, 1M keys at 1 %, keys that are present: ns",
          where = {"p=0.01", "answer=PRESENT"})
    })
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class StringCheckBenchmark extends StringChecks {

  @Param({"IDS", "UUIDS", "URLS", "NON_LATIN"})
  private Kind kind;

  @Param({"0.01", "0.001"})
  private double p;

  @Param private KeyPresence answer;

  @Setup
  public void fill(BenchmarkParams run) {
    int n = BenchForm.size(1_000_000, 10_000);
    fill(run, kind, n, p, answer == KeyPresence.PRESENT, 1 << 13);
  }
}
