package io.bloomguard.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Whole calls of a guarded method that the filter rejects, beside other interceptors. */
@Suite(
    order = 40,
    title = "A rejected call of a guarded method",
    brief =
        "a text; beside an `@Aspect` with SpEL, a hit of `@Cacheable` on Caffeine, and an empty"
            + " interceptor",
    shown = "argument=TEXT",
    text =
        """
        The complete call that ends in `rejected`: proxy, key, state, filter, outcome counter,
        with the starter's defaults in memory and a million keys, without the verification, which has
        its own section. `aspectCachedSpel` and
        `aspectParsedSpel` check the same filter from an `@Aspect` that evaluates the key with SpEL,
        parsed once or by each call. `cacheableHit` is Spring's `@Cacheable` on Caffeine that finds
        a value. `emptyInterceptor` answers at once and is the price of the proxy alone.
        """,
    plots =
        @Suite.Plot(
            title = "A rejected call of a guarded method, key as text: ns",
            where = "argument=TEXT"))
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class GuardedCallBenchmark extends GuardedCalls {}
