package io.bloomguard.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** One check in Redis at a time, by one caller. */
@Suite(
    order = 40,
    title = "A check in Redis, a million keys, one caller",
    brief = "present, 1 %; `ping` is any command",
    text =
        """
        Redis on the loopback interface, 1 %, all keys in the filter. `bloomguard` has one-word
        blocks, the default in Redis at 1 %; `bloomguardBlock512` has blocks of eight words. GETBIT
        reads seven bits a key, one command each: `getbitUnpipelined` waits for each. It stops
        at the first clear bit, so an absent key would cost it two commands on average, not seven.
        `ping` is no check, but the cost of any command with the same client.
        """,
    plots = @Suite.Plot(title = "A check in Redis, one caller: ns"))
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Threads(1)
public class RedisCheckBenchmark extends RedisChecks {}
