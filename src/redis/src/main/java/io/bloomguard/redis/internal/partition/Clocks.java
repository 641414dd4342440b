package io.bloomguard.redis.internal.partition;

import java.util.function.LongSupplier;

/**
 * The clocks of a process by which a lease ends: with the first of them.
 *
 * @param monotonic nanoseconds that only grow; a suspended machine may stop them
 * @param wall milliseconds since 1970, which may be put forward or back
 */
public record Clocks(LongSupplier monotonic, LongSupplier wall) {

  /** The machine's. */
  public static final Clocks SYSTEM = new Clocks(System::nanoTime, System::currentTimeMillis);
}
