package io.bloomguard.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Whole calls of a guarded method by two threads that share everything. */
@Suite(
    order = 41,
    title = "A rejected call of a guarded method, two threads",
    brief = "a text",
    shown = "argument=TEXT",
    text =
        """
        The same with two threads: one proxy, one filter, one counter. A time is one thread's for
        one call: a contestant whose time does not grow against the table above scales.
        """)
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Threads(2)
public class SharedGuardedCallBenchmark extends GuardedCalls {}
