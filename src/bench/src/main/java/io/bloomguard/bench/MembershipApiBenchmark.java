package io.bloomguard.bench;

import io.bloomguard.bench.BenchKeys.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Keys a second that a server answers to eight connections, a thousand keys a call. */
@Suite(
    order = 60,
    title = "Membership API: keys a second",
    brief = "eight connections, 1,000 ids a call",
    shown = "kind=IDS",
    text =
        """
        One server with its default configuration, backend `local`, and eight connections over the
        loopback, each of which sends batches of 1,000 keys, half of them absent, and waits for the
        answer. Server and client share the machine. Every answer is compared with the first one to
        the same batch, whose present keys must be there.
        """,
    plots = @Suite.Plot(title = "Membership API, batches of 1,000: keys a second"))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(8)
@Fork(1)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 1)
public class MembershipApiBenchmark {

  private static final int BATCH = 1_000;
  private static final int CALLS = 64;

  @Param({"IDS", "UUIDS"})
  Kind kind;

  @Param({"1000000"})
  int size;

  private final AtomicInteger connections = new AtomicInteger();
  private final List<CheckCall> calls = new ArrayList<>();
  private BenchServer server;

  @Setup
  public void start() throws IOException {
    int n = BenchForm.size(size, 10_000);
    server = BenchServer.holding(kind, n);
    String[] present = BenchKeys.sample(kind, CALLS * BATCH / 2, n, true);
    String[] absent = BenchKeys.sample(kind, CALLS * BATCH / 2, n, false);
    try (CheckConnection connection = new CheckConnection(server.port())) {
      for (int i = 0; i < CALLS; i++) {
        calls.add(CheckCall.of(BATCH, present, absent, i * BATCH / 2, connection));
      }
    }
  }

  @TearDown
  public void stop() {
    server.close();
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void bloomguard(Caller caller) throws IOException {
    caller.call();
  }

  /** One connection, used by one thread. */
  @State(Scope.Thread)
  public static class Caller {

    private MembershipApiBenchmark benchmark;
    private CheckConnection connection;
    private int next;

    @Setup(Level.Trial)
    public void connect(MembershipApiBenchmark benchmark) throws IOException {
      this.benchmark = benchmark;
      connection = new CheckConnection(benchmark.server.port());
      next = benchmark.connections.getAndIncrement() * CALLS / 8;
    }

    @TearDown(Level.Trial)
    public void disconnect() throws IOException {
      connection.close();
    }

    void call() throws IOException {
      benchmark.calls.get(next++ % CALLS).repeat(connection);
    }
  }
}
