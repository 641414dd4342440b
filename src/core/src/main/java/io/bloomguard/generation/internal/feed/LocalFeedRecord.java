package io.bloomguard.generation.internal.feed;

import io.bloomguard.generation.internal.FeedRecord;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The record of a feed that this process alone reads for itself; it ends with the process. */
public final class LocalFeedRecord implements FeedRecord {

  private final LongSupplier ticker;
  private long reader;
  private long begun;
  private long built;
  private @Nullable String position;

  /** The moment until which every change has been applied, by the ticker; null for none. */
  private @Nullable Long asOf;

  /**
   * A record of a feed that was never read.
   *
   * @param ticker a monotonic clock in nanoseconds
   */
  public LocalFeedRecord(LongSupplier ticker) {
    this.ticker = ticker;
  }

  @Override
  public synchronized Entry read() {
    Duration age = asOf == null ? null : Duration.ofNanos(ticker.getAsLong() - asOf);
    return new Entry(reader, begun, built, position, age);
  }

  @Override
  public synchronized Entry claim() {
    reader++;
    return read();
  }

  @Override
  public synchronized @Nullable Entry begin(long by, String at) {
    if (by != reader) {
      return null;
    }
    begun++;
    position = at;
    asOf = null;
    return read();
  }

  @Override
  public synchronized @Nullable Entry advance(
      long by, @Nullable String to, @Nullable Duration age) {
    if (by != reader) {
      return null;
    }
    position = to == null ? position : to;
    asOf = age == null ? asOf : Long.valueOf(ticker.getAsLong() - age.toNanos());
    return read();
  }

  @Override
  public synchronized void built(long begin) {
    built = Math.max(built, begin);
  }
}
