package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.internal.ReplicaSettings;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * How long this process has known a server and its loss epoch without another in between.
 *
 * <p>A register of copies tells only of leases that were taken under the same server and losses. A
 * copy may hold one of before, for as long as the longest lease; after that time none does.
 */
final class KnownLosses {

  /** The longest lease, and the margin that a writer adds to it. */
  private static final Duration LONGEST =
      ReplicaSettings.LONGEST_LEASE.plus(ReplicaSettings.margin(ReplicaSettings.LONGEST_LEASE));

  private final LongSupplier ticker;
  private final long longest;
  private final AtomicReference<Known> known = new AtomicReference<>(new Known("", 0, 0));

  /**
   * @param grace how long a doubt lasts at least: the longest lease is shorter, and never longer
   * @param ticker monotonic nanoseconds, such as {@code System::nanoTime}
   */
  KnownLosses(Duration grace, LongSupplier ticker) {
    this.longest = Math.min(LONGEST.toNanos(), grace.toNanos());
    this.ticker = ticker;
  }

  /**
   * Server, losses, and since when.
   *
   * @param since monotonic nanoseconds
   */
  private record Known(String server, long losses, long since) {

    boolean is(String otherServer, long otherLosses) {
      return losses == otherLosses && server.equals(otherServer);
    }
  }

  /** The moment from which on no lease of before can be held, in monotonic nanoseconds. */
  long end(String server, long losses) {
    return since(server, losses) + longest;
  }

  /** The longest time that a lease of any process has left, in nanoseconds. */
  long longest() {
    return longest;
  }

  /** Notes that a server has answered under a loss epoch; since when it has. */
  long since(String server, long losses) {
    Known now = known.get();
    if (now.is(server, losses)) {
      return now.since;
    }
    Known next = new Known(server, losses, ticker.getAsLong());
    return known.compareAndSet(now, next) ? next.since : ticker.getAsLong();
  }
}
