package io.bloomguard.redis.partition;

import io.bloomguard.filter.BlockedFilter;
import io.bloomguard.generation.ReplicaSettings;
import io.bloomguard.generation.ReplicaSettings.Confirm;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.replica.ReplicaFollower;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This process' copy of the serving image of one partition, as checks see it.
 *
 * <p>It answers only while it is known to be the copy of what serves: the last look at Redis that
 * found nothing missing was sent no longer ago than the stated staleness. What it answers is thus
 * never older than that. Everything else is asked of Redis. {@link ReplicaFollower} keeps it.
 */
public final class PartitionReplica {

  /**
   * A whole copy.
   *
   * @param current whether it is still known to be of what serves
   * @param seen when the last complete look was sent
   */
  private record Copy(BlockedFilter bits, boolean current, long seen) {}

  private final boolean believesAbsence;
  private final long maxStaleness;
  private final LongSupplier ticker;

  /** What is being loaded: it takes this process' own adds already. */
  private volatile @Nullable BlockedFilter loading;

  private volatile @Nullable Copy copy;
  private volatile long lastSeen;
  private volatile boolean tooLarge;

  /**
   * No copy yet.
   *
   * @param ticker nanoseconds that only go forward, such as {@code System::nanoTime}
   */
  public PartitionReplica(ReplicaSettings settings, LongSupplier ticker) {
    this.believesAbsence = settings.confirm() == Confirm.WHEN_STALE_OVER;
    this.maxStaleness = settings.maxStaleness().toNanos();
    this.ticker = ticker;
    this.lastSeen = ticker.getAsLong();
  }

  /** What the copy says of a hash; {@link Membership#UNKNOWN} where Redis is to be asked. */
  public Membership check(long hash) {
    Copy held = copy;
    if (held == null || !held.current) {
      return Membership.UNKNOWN;
    }
    boolean has = held.bits.mightContainHash(hash);
    // The time is read after the bits: a thread that stood still between the two says nothing.
    if (!(has || believesAbsence) || ticker.getAsLong() - held.seen > maxStaleness) {
      return Membership.UNKNOWN;
    }
    return has ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
  }

  /** Whether the last whole copy has a hash, however old it is: a hint, and no answer. */
  public boolean likelyPresent(long hash) {
    Copy held = copy;
    return held != null && held.bits.mightContainHash(hash);
  }

  /** Takes adds of this process that Redis has acknowledged. */
  void add(List<Long> hashes) {
    // In this order: what is loaded becomes the copy before it ceases to be loaded.
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

  /** Says what is being loaded from now on. */
  public void load(BlockedFilter bits) {
    tooLarge = false;
    loading = bits;
  }

  /** Nothing is being loaded any more. */
  public void loadEnded() {
    loading = null;
  }

  /** Answers from {@code bits}, which were complete when a look was sent. */
  public void show(BlockedFilter bits, long sent) {
    copy = new Copy(bits, true, sent);
    lastSeen = sent;
    loading = null;
  }

  /** Answers nothing until it is shown again. The copy is kept as a hint. */
  public void doubt() {
    Copy held = copy;
    if (held != null && held.current) {
      copy = new Copy(held.bits, false, held.seen);
    }
  }

  /** Gives the memory back. */
  public void drop() {
    copy = null;
  }

  /** Gives the memory back; what serves is larger than the copy may be. */
  public void dropTooLarge() {
    tooLarge = true;
    copy = null;
  }

  /** The bytes that are held. */
  public long sizeBytes() {
    Copy held = copy;
    return held == null ? 0 : held.bits.shape().sizeBytes();
  }

  /**
   * Seconds since the last complete look, or since the beginning where there was none; NaN where
   * the image is too large to be copied.
   */
  public double lagSeconds() {
    return tooLarge ? Double.NaN : (ticker.getAsLong() - lastSeen) / 1e9;
  }
}
