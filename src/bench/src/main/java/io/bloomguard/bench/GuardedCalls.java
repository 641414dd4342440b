package io.bloomguard.bench;

import io.bloomguard.bench.GuardedCallServices.Aspected;
import io.bloomguard.bench.GuardedCallServices.Guarded;
import io.bloomguard.bench.GuardedCallServices.Kept;
import io.bloomguard.bench.GuardedCallServices.Parsed;
import io.bloomguard.bench.GuardedCallServices.Products;
import io.bloomguard.bench.GuardedCallServices.Query;
import io.bloomguard.bench.GuardedCallServices.Untouched;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** The contestants for the price of a call that does not reach its method. */
@State(Scope.Benchmark)
public abstract class GuardedCalls {

  /** Few enough to be in the processor's cache, whoever's they are. */
  private static final int LOOKUPS = 1 << 12;

  /** How the key is handed over, and so how it is called for. */
  public enum Argument {
    /** {@code #id}, text. */
    TEXT {
      @Override
      Object call(Products products, GuardedCalls keys, int i) {
        return products.byText(keys.texts[i]);
      }
    },
    /** {@code #id}, a long. */
    NUMBER {
      @Override
      Object call(Products products, GuardedCalls keys, int i) {
        return products.byNumber(keys.numbers[i]);
      }
    },
    /** {@code #query.id}, text. */
    PROPERTY {
      @Override
      Object call(Products products, GuardedCalls keys, int i) {
        return products.byQuery(keys.queries[i]);
      }
    };

    abstract Object call(Products products, GuardedCalls keys, int i);
  }

  /** Where a thread is in the keys: each begins elsewhere. */
  @State(Scope.Thread)
  public static class Walk {

    private int next;

    @Setup
    public void begin(ThreadParams thread) {
      next = thread.getThreadIndex() << 8;
    }

    private int next() {
      return next++ & LOOKUPS - 1;
    }
  }

  @Param private Argument argument;

  private final long[] numbers = new long[LOOKUPS];
  private final String[] texts = new String[LOOKUPS];
  private final Query[] queries = new Query[LOOKUPS];
  private AnnotationConfigApplicationContext context;
  private Products products;

  @Setup
  public void start(BenchmarkParams run) {
    int n = BenchForm.size(1_000_000, 10_000);
    long[] absent = BenchKeys.sampleIds(LOOKUPS, n, false);
    Class<?> application =
        switch (Peers.contestant(run)) {
          case "bloomguard" -> Guarded.class;
          case "aspectCachedSpel" -> Aspected.class;
          case "aspectParsedSpel" -> Parsed.class;
          case "cacheableHit" -> Kept.class;
          case "emptyInterceptor" -> Untouched.class;
          default -> throw new IllegalArgumentException(Peers.contestant(run));
        };
    context = new AnnotationConfigApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("benchmark", RejectingFilter.properties()));
    context.register(application);
    context.refresh();
    products = context.getBean(Products.class);
    int kept = 0;
    for (long number : absent) {
      numbers[kept] = number;
      texts[kept] = Long.toString(number);
      queries[kept] = new Query(texts[kept]);
      // A false positive reaches the method, which is another benchmark's.
      if (argument.call(products, this, kept)
          != null
          == Peers.contestant(run).equals("cacheableHit")) {
        kept++;
      }
    }
    fillUp(kept);
  }

  private void fillUp(int kept) {
    for (int i = kept; i < LOOKUPS; i++) {
      numbers[i] = numbers[i - kept];
      texts[i] = texts[i - kept];
      queries[i] = queries[i - kept];
    }
  }

  @TearDown
  public void stop() {
    context.close();
  }

  @Benchmark
  public Object bloomguard(Walk walk) {
    return argument.call(products, this, walk.next());
  }

  @Benchmark
  public Object aspectCachedSpel(Walk walk) {
    return argument.call(products, this, walk.next());
  }

  @Benchmark
  public Object aspectParsedSpel(Walk walk) {
    return argument.call(products, this, walk.next());
  }

  @Benchmark
  public Object cacheableHit(Walk walk) {
    return argument.call(products, this, walk.next());
  }

  @Benchmark
  public Object emptyInterceptor(Walk walk) {
    return argument.call(products, this, walk.next());
  }
}
