package io.bloomguard.redis.internal.partition;

import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.generation.internal.ReplicaSettings.Confirm;
import io.bloomguard.guard.Membership;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This process' copy of the serving image of one partition, as checks see it.
 *
 * <p>It answers only while it is known to match the serving image: its last complete poll of Redis
 * was sent no longer ago than {@code max-staleness}. So its answers are never older than that.
 * Everything else is asked of Redis. The package {@code replica} keeps it up to date.
 */
public final class PartitionReplica {

  /**
   * A whole copy.
   *
   * @param current whether it is still known to match the serving image
   * @param seen when the last complete poll was sent
   */
  private record Copy(BlockedFilter bits, boolean current, long seen) {}

  private final boolean believesAbsence;
  private final long maxStaleness;
  private final LongSupplier ticker;

  /** The copy under load, which takes this process' own adds already. */
  private volatile @Nullable BlockedFilter loading;

  private volatile @Nullable Copy copy;
  private volatile long lastSeen;
  private volatile boolean tooLarge;

  /**
   * Creates a replica without a copy.
   *
   * @param ticker monotonic nanoseconds, such as {@code System::nanoTime}
   */
  public PartitionReplica(ReplicaSettings settings, LongSupplier ticker) {
    this.believesAbsence = settings.confirm() == Confirm.WHEN_STALE_OVER;
    this.maxStaleness = settings.maxStaleness().toNanos();
    this.ticker = ticker;
    this.lastSeen = ticker.getAsLong();
  }

  /** Checks a hash in the copy; {@link Membership#UNKNOWN} if Redis must be asked. */
  public Membership check(long hash) {
    Copy held = copy;
    if (held == null || !held.current) {
      return Membership.UNKNOWN;
    }
    boolean has = held.bits.mightContainHash(hash);
    // The time is read after the bits: a thread that was stopped between the two answers nothing.
    if (!(has || believesAbsence) || ticker.getAsLong() - held.seen > maxStaleness) {
      return Membership.UNKNOWN;
    }
    return has ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
  }

  /** Whether the last whole copy has a hash, at any age: a hint, and no answer. */
  public boolean likelyPresent(long hash) {
    Copy held = copy;
    return held != null && held.bits.mightContainHash(hash);
  }

  /** Adds hashes of this process that Redis has acknowledged. */
  void add(List<Long> hashes) {
    // The order matters: the loaded filter becomes the copy before the loading ends.
    BlockedFilter next = loading;
    Copy held = copy;
    for (long hash : hashes) {
      if (next != null) {
        next.addHash(hash);
      }
      if (held != null) {
        held.bits.addHash(hash);
      }
    }
  }

  /** Sets the copy under load. */
  public void load(BlockedFilter bits) {
    tooLarge = false;
    loading = bits;
  }

  /** Ends the load. */
  public void loadEnded() {
    loading = null;
  }

  /** Answers from {@code bits}, which were complete when a poll was sent. */
  public void show(BlockedFilter bits, long sent) {
    copy = new Copy(bits, true, sent);
    lastSeen = sent;
    loading = null;
  }

  /** Answers nothing until the next {@link #show}. The copy is kept as a hint. */
  public void doubt() {
    Copy held = copy;
    if (held != null && held.current) {
      copy = new Copy(held.bits, false, held.seen);
    }
  }

  /** Releases the memory. */
  public void drop() {
    copy = null;
  }

  /** Releases the memory; the serving image is larger than the replica may be. */
  public void dropTooLarge() {
    tooLarge = true;
    copy = null;
  }

  /** The bytes held. */
  public long sizeBytes() {
    Copy held = copy;
    return held == null ? 0 : held.bits.shape().sizeBytes();
  }

  /**
   * Seconds since the last complete poll, or since the start if there was none; NaN if the image is
   * too large for a replica.
   */
  public double lagSeconds() {
    return tooLarge ? Double.NaN : (ticker.getAsLong() - lastSeen) / 1e9;
  }
}
