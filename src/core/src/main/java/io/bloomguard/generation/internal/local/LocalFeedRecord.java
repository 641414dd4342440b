package io.bloomguard.generation.internal.local;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.bloomguard.generation.internal.FeedRecord;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The record of a feed that this process alone reads for itself. It ends with the process, apart
 * from the position in a snapshot.
 */
public final class LocalFeedRecord implements FeedRecord {

  private final LongSupplier ticker;
  private long reader;
  private long begun;
  private long built;
  private @Nullable String position;

  private final Cache<OwnWrite, Boolean> own;

  /** The moment until which every change has been applied, by the ticker; null for none. */
  private @Nullable Long asOf;

  /**
   * A record of a feed that was never read.
   *
   * @param ticker a monotonic clock in nanoseconds
   */
  public LocalFeedRecord(LongSupplier ticker) {
    this(ticker, null);
  }

  /**
   * @param ticker a monotonic clock in nanoseconds
   * @param restored the position up to which the content has all changes; null for none
   */
  LocalFeedRecord(LongSupplier ticker, @Nullable String restored) {
    this.ticker = ticker;
    this.own =
        Caffeine.newBuilder()
            .maximumSize(MOST_OWN)
            .expireAfterWrite(OWN_FOR)
            .ticker(ticker::getAsLong)
            .executor(Runnable::run)
            .build();
    this.position = restored;
    this.begun = restored == null ? 0 : 1;
    this.built = begun;
  }

  /**
   * The position up to which a generation has all changes, if a build read it after a begin; null
   * if the feed has begun again since, or never has.
   */
  synchronized @Nullable String positionSince(long begin) {
    return begin > 0 && begin == begun ? position : null;
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

  @Override
  public void noteOwn(Set<OwnWrite> writes) {
    writes.forEach(write -> own.put(write, true));
  }

  @Override
  public Set<OwnWrite> own(Set<OwnWrite> writes) {
    return own.getAllPresent(writes).keySet();
  }
}
