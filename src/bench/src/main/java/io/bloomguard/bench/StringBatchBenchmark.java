package io.bloomguard.bench;

import com.google.common.hash.BloomFilter;
import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.internal.BlockedFilter;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.fastfilter.bloom.BlockedBloom;
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

/** Batches of Strings, of a filter that the caches do not hold. */
@Suite(
    order = 13,
    per = "batch",
    title = "A batch of Strings, 20 million keys",
    brief = "1,000 absent",
    shown = {"answer=ABSENT", "batch=1000"},
    text =
        """
        A batch in one call where there is such a call, else key by key; 20 million decimal ids at
        1 %, 1,048,576 of them looked up. Times are for each key.
        """,
    plots = @Suite.Plot(title = "A batch of Strings, 20M keys at 1 %: ns a key"))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class StringBatchBenchmark {

  private static final double P = 0.01;

  @Param({"64", "1000"})
  private int batch;

  @Param private KeyPresence answer;

  private BlockedFilter bloomguard;
  private BloomFilter<CharSequence> guava;
  private BlockedBloom fastfilterBlocked;
  private String[][] batches;
  private boolean[] answers;
  private int next;

  @Setup
  public void fill(BenchmarkParams run) {
    int n = BenchForm.size(20_000_000, 10_000);
    switch (Peers.contestant(run)) {
      case "bloomguard" -> bloomguard = Peers.bloomguard(Kind.IDS, n, P);
      case "guava" -> guava = Peers.guava(Kind.IDS, n, P);
      case "fastfilterBlocked" -> fastfilterBlocked = Peers.blockedBloom(Kind.IDS, n, P);
      default -> throw new IllegalArgumentException(Peers.contestant(run));
    }
    int lookups = BenchForm.size(1 << 20, 1 << 13);
    String[] keys = BenchKeys.sample(Kind.IDS, lookups, n, answer == KeyPresence.PRESENT);
    batches = new String[lookups / batch][];
    for (int i = 0; i < batches.length; i++) {
      batches[i] = Arrays.copyOfRange(keys, i * batch, (i + 1) * batch);
    }
    answers = new boolean[batch];
  }

  private String[] next() {
    if (next == batches.length) {
      next = 0;
    }
    return batches[next++];
  }

  @Benchmark
  public boolean[] bloomguard() {
    bloomguard.mightContainAll(next(), batch, answers);
    return answers;
  }

  @Benchmark
  public boolean[] guava() {
    String[] keys = next();
    for (int i = 0; i < batch; i++) {
      answers[i] = guava.mightContain(keys[i]);
    }
    return answers;
  }

  @Benchmark
  public boolean[] fastfilterBlocked() {
    String[] keys = next();
    for (int i = 0; i < batch; i++) {
      answers[i] = fastfilterBlocked.mayContain(Peers.HASH.hashCharsToLong(keys[i]));
    }
    return answers;
  }
}
