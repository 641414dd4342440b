package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Checks of absent keys by a copy that holds a lease, and by a filter of the heap alone. */
@Suite(
    order = 43,
    title = "A check by a copy that holds a lease",
    per = "batch",
    brief = "absent; `clocks` are its two readings of a clock alone",
    shown = "batch=1",
    text =
        """
        Absent keys, a million in the filter at 1 %, by one thread: `bloomguard` is `check` (for 100 keys `checkAll`) of the backend `redis`, whose copy
        holds a lease, and `local` the same of the backend `local`, with the same shape. Redis follows on the loopback interface. `clocks` is
        the reading of the two clocks that tell whether the lease still holds, alone, once for a call. Times are for each key.
        """)
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class LeasedCheckBenchmark {

  private static final int LOOKUPS = 1 << 13;

  @Param({"1", "100"})
  private int batch;

  private BenchRedis redis;
  private GenerationStore leased;
  private GenerationStore local;
  private String[] keys;
  private List<List<String>> batches;
  private int next;

  @Setup
  public void fill(BenchmarkParams run) throws Exception {
    int n = BenchForm.size(1_000_000, 2_000);
    FilterShape shape = Sizing.blocked(n, BenchRedis.P, 1);
    if (Peers.contestant(run).equals("bloomguard")) {
      redis = new BenchRedis();
      leased = BenchRedis.bloomguard(redis.connections(), "products", shape, BenchRedis.COPY);
      BenchRedis.fill(leased, shape, n);
      BenchRedis.awaitRegistered(redis.connections(), "products", 1);
    } else {
      local =
          new LocalGenerations(
              "products",
              of -> MembershipFilters.create(of, Peers.KEYED),
              shape,
              Duration.ofMinutes(10),
              Peers.journal("products"),
              0,
              System::nanoTime,
              null);
      BenchRedis.fill(local, shape, n);
    }
    keys = BenchKeys.sample(Kind.IDS, LOOKUPS, n, false);
    batches = new ArrayList<>();
    for (int from = 0; from + batch <= LOOKUPS; from += batch) {
      batches.add(List.of(Arrays.copyOfRange(keys, from, from + batch)));
    }
  }

  @TearDown
  public void stop() throws Exception {
    if (redis != null) {
      leased.close();
      redis.close();
    }
  }

  @Benchmark
  public Object bloomguard() {
    return check(leased);
  }

  @Benchmark
  public Object local() {
    return check(local);
  }

  @Benchmark
  public long clocks() {
    return System.nanoTime() ^ System.currentTimeMillis();
  }

  private Object check(GenerationStore store) {
    if (batch == 1) {
      Membership answer = store.check(keys[next++ & LOOKUPS - 1]);
      if (answer == Membership.UNKNOWN) {
        throw new IllegalStateException("There is no answer");
      }
      return answer;
    }
    if (next == batches.size()) {
      next = 0;
    }
    return store.checkAll(batches.get(next++));
  }
}
