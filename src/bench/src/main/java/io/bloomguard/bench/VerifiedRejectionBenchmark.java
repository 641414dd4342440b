package io.bloomguard.bench;

import io.bloomguard.bench.GuardedCallServices.Starter;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** The price of the verification for a rejection that is not let through. */
@Suite(
    order = 42,
    title = "A rejection with and without verification",
    brief = "a text",
    shown = "key=TEXT",
    text =
        """
        `BloomGuard.get` of keys that the filter rejects, in memory and with a million keys.
        `bloomguard` verifies with the default sample, after the trials of its first keys;
        `unverified` has `verify.first: 0` and `verify.sample: 0`; `firstKeys` has a place left among
        the first keys, and each of its keys has had its trial.
        """)
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class VerifiedRejectionBenchmark {

  private static final int LOOKUPS = 1 << 12;

  /** As many as fit into one burst, so that all have their turn before the measurement. */
  private static final int FIRST = 100;

  /** The type of the keys. */
  public enum Key {
    TEXT,
    NUMBER
  }

  @Param private Key key;

  private final Object[] keys = new Object[LOOKUPS];
  private int next;
  private AnnotationConfigApplicationContext context;
  private BloomGuard<Object> guard;

  @Setup
  public void start(BenchmarkParams run) {
    Map<String, Object> properties = new HashMap<>(RejectingFilter.properties());
    String verify = "bloomguard.filters.products.verify.";
    boolean firstKeys = Peers.contestant(run).equals("firstKeys");
    boolean verified = !Peers.contestant(run).equals("unverified");
    properties.put(verify + "first", firstKeys ? FIRST + 1 : verified ? FIRST : 0);
    if (!verified) {
      properties.put(verify + "sample", 0);
    }
    context = new AnnotationConfigApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("benchmark", properties));
    context.register(Starter.class);
    context.refresh();
    guard = context.getBean(BloomGuards.class).guard("products");
    int distinct = firstKeys ? FIRST : LOOKUPS;
    int found = 0;
    for (long i = 0; found < distinct; i++) {
      long id = BenchKeys.id(BenchKeys.absent(i));
      if (guard.check(id) == Membership.ABSENT) {
        keys[found++] = key == Key.TEXT ? Long.toString(id) : (Object) id;
      }
    }
    for (int i = distinct; i < LOOKUPS; i++) {
      keys[i] = keys[i - distinct];
    }
    for (Object each : keys) {
      guard.get(each, () -> null);
    }
  }

  @TearDown
  public void stop() {
    context.close();
  }

  private @Nullable Object rejected() {
    return guard.get(keys[next++ & LOOKUPS - 1], () -> null);
  }

  @Benchmark
  public @Nullable Object bloomguard() {
    return rejected();
  }

  @Benchmark
  public @Nullable Object unverified() {
    return rejected();
  }

  @Benchmark
  public @Nullable Object firstKeys() {
    return rejected();
  }
}
