package io.bloomguard.bench;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
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

/** What the servlet filter does by itself: requests and responses are stubs. */
@Suite(
    order = 50,
    title = "The servlet filter by itself",
    brief = "a text, rejected; beside requests that no rule judges",
    shown = "type=TEXT",
    text =
        """
        `BloomGuardFilter` with a million keys in memory, called with a request and a response that
        do nothing themselves. `bloomguard` is a request for an absent key: path, key, filter,
        counter and the problem as answer. `otherPath` is a request without a rule, which
        passes, `otherMethod` one by a method that no rule judges. The next table has the cost of
        a container.
        """)
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class ServletFilterBenchmark {

  private static final int LOOKUPS = 1 << 12;
  private static final FilterChain END = (request, response) -> {};

  @Param private RejectingFilter.Type type;

  private final HttpServletRequest[] absent = new HttpServletRequest[LOOKUPS];
  private final HttpServletRequest other = new StubRequest("GET", "/static/css/main.7f3c.css");
  private final HttpServletRequest posted = new StubRequest("POST", "/api/text/42");
  private final StubResponse response = new StubResponse();
  private RejectingFilter filter;
  private int next;

  @Setup
  public void start() throws IOException, ServletException {
    filter = new RejectingFilter();
    String[] paths = filter.rejectedPaths(type, LOOKUPS);
    for (int i = 0; i < LOOKUPS; i++) {
      absent[i] = new StubRequest("GET", paths[i]);
    }
  }

  @TearDown
  public void stop() {
    filter.close();
  }

  private int call(HttpServletRequest request) throws IOException, ServletException {
    filter.filter().doFilter(request, response, END);
    return response.getStatus();
  }

  @Benchmark
  public int bloomguard() throws IOException, ServletException {
    return call(absent[next++ & LOOKUPS - 1]);
  }

  @Benchmark
  public int otherPath() throws IOException, ServletException {
    return call(other);
  }

  @Benchmark
  public int otherMethod() throws IOException, ServletException {
    return call(posted);
  }
}
