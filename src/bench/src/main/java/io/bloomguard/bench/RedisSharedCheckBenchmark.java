package io.bloomguard.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** One check in Redis at a time, by each of 32 callers of one process. */
@Suite(
    order = 41,
    title = "A check in Redis, a million keys, 32 callers",
    brief = "the same",
    text =
        """
        The same with 32 threads that share the client. A time is one thread's for one check: divide
        by 32 for the time between two answers.
        """,
    plots = @Suite.Plot(title = "A check in Redis, 32 callers: ns"))
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Threads(32)
public class RedisSharedCheckBenchmark extends RedisChecks {}
