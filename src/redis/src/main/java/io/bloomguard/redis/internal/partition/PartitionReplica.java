package io.bloomguard.redis.internal.partition;

import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.generation.internal.KnownFalsePositives;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.guard.Membership;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This process' copy of the serving image of one partition, as checks see it.
 *
 * <p>It answers only while it holds a lease; everything else is asked of Redis. An add of any
 * process is acknowledged once this copy has it, or its lease must have run out, so that no answer
 * is older than an acknowledged add. The package {@code replica} keeps it up to date.
 */
public final class PartitionReplica {

  /**
   * A copy and its lease, which change together: a check that has read an older lease never
   * believes it for longer because of a newer one.
   *
   * @param leased whether there is a lease at all
   * @param term the number of the leases without a gap to which it belongs: in a gap writers do not
   *     wait for this copy
   * @param known what this process knows of the false positives of the bits
   * @param end the lease's end, in monotonic nanoseconds
   * @param wallBegin the wall clock's milliseconds when the lease was asked for
   * @param wallEnd its end by the wall clock
   */
  private record Copy(
      BlockedFilter bits,
      KnownFalsePositives known,
      boolean leased,
      long term,
      long end,
      long wallBegin,
      long wallEnd) {

    boolean has(long hash) {
      return bits.mightContainHash(hash) && !known.has(hash);
    }
  }

  private final String id = UUID.randomUUID().toString();
  private final long leaseMillis;
  private final long usableMillis;
  private final Duration patience;
  private final LongSupplier ticker;
  private final LongSupplier wall;

  /** The copy under load, which takes this process' own adds already. */
  private volatile @Nullable BlockedFilter loading;

  private volatile @Nullable Copy copy;

  /** The terms that have ended, for the thread that takes leases. */
  private long terms;

  private volatile long lastSeen;
  private volatile boolean tooLarge;

  /**
   * Creates a replica without a copy.
   *
   * @param settings the length of a lease
   * @param patience the age from which on an add of any process counts as committed
   * @param clocks by which it ends
   */
  public PartitionReplica(ReplicaSettings settings, Duration patience, Clocks clocks) {
    this.patience = patience;
    this.leaseMillis = settings.lease().toMillis();
    this.usableMillis = settings.lease().minus(ReplicaSettings.margin(settings.lease())).toMillis();
    this.ticker = clocks.monotonic();
    this.wall = clocks.wall();
    this.lastSeen = ticker.getAsLong();
  }

  /** Its name in the register of copies. */
  public String id() {
    return id;
  }

  /** The length of its leases, in milliseconds. */
  public long leaseMillis() {
    return leaseMillis;
  }

  /** Checks a hash in the copy; {@link Membership#UNKNOWN} if Redis must be asked. */
  public Membership check(long hash) {
    Copy held = copy;
    if (held == null || !held.leased) {
      return Membership.UNKNOWN;
    }
    boolean has = held.has(hash);
    // A thread may stop anywhere. The clocks are read after the bits, so that the answer is from
    // before the lease's end; then whether the lease was given up before that.
    VarHandle.loadLoadFence();
    if (!holds(held) || isGivenUp(held)) {
      return Membership.UNKNOWN;
    }
    return has ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
  }

  /**
   * Checks hashes in the copy, all under one lease, whose end is read once for all of them.
   *
   * @param indexes where the answer to each goes
   * @return false if Redis must be asked, whatever was written
   */
  boolean checkAll(long[] hashes, int[] indexes, Membership[] answers) {
    Copy held = copy;
    if (held == null || !held.leased) {
      return false;
    }
    for (int i = 0; i < hashes.length; i++) {
      boolean has = held.has(hashes[i]);
      answers[indexes[i]] = has ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
    }
    VarHandle.loadLoadFence();
    return holds(held) && !isGivenUp(held);
  }

  private boolean holds(Copy held) {
    if (ticker.getAsLong() - held.end >= 0) {
      return false;
    }
    // Only the wall clock advances while the machine is suspended, and it may be put back.
    long now = wall.getAsLong();
    return now >= held.wallBegin && now < held.wallEnd;
  }

  private boolean isGivenUp(Copy held) {
    VarHandle.loadLoadFence();
    Copy now = copy;
    return now == null || !now.leased || now.term != held.term;
  }

  /** Whether the last whole copy has a hash, at any age: a hint, and no answer. */
  public boolean likelyPresent(long hash) {
    Copy held = copy;
    return held != null && held.bits.mightContainHash(hash);
  }

  /**
   * Notes a null entry of a key that the copy has: whether it had one; null if there is no copy
   * that answers. Its second one makes the key absent here, if none has added it meanwhile. An add
   * from before the first one counts as committed by then, as those do whose journal entries others
   * rely on.
   */
  public @Nullable Boolean foundNothing(long hash) {
    Copy held = copy;
    return held == null || !held.leased || !holds(held) || !held.bits.mightContainHash(hash)
        ? null
        : (Boolean) held.known.foundNothing(hash);
  }

  /** Adds a hash of the journal to the bits of the copy, or of the one under load. */
  public void add(BlockedFilter to, long hash) {
    boolean changed = to.addHash(hash);
    Copy held = copy;
    if (!changed && held != null) {
      held.known.added(hash);
    }
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
      if (held != null && !held.bits.addHash(hash)) {
        held.known.added(hash);
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

  /** A moment by both clocks, taken before a poll is sent. */
  public Moment moment() {
    return new Moment(ticker.getAsLong(), wall.getAsLong());
  }

  /**
   * A moment.
   *
   * @param nanos by the monotonic clock
   * @param millis by the wall clock
   */
  public record Moment(long nanos, long millis) {}

  /** Answers from {@code bits} under the lease of a poll that was complete, and registered. */
  @SuppressWarnings("ReferenceEquality") // the same bits
  public void lease(BlockedFilter bits, Moment sent) {
    Copy held = copy;
    copy =
        new Copy(
            bits,
            held != null && held.bits == bits
                ? held.known
                : new KnownFalsePositives(patience, ticker, hash -> false),
            true,
            terms,
            sent.nanos + TimeUnit.MILLISECONDS.toNanos(usableMillis),
            sent.millis,
            sent.millis + usableMillis);
    lastSeen = sent.nanos;
    loading = null;
  }

  /** Answers nothing until the next {@link #lease}. The copy is kept as a hint. */
  public void endLease() {
    Copy held = copy;
    if (held != null && held.leased) {
      terms++;
      copy =
          new Copy(held.bits, held.known, false, held.term, held.end, held.wallBegin, held.wallEnd);
    }
  }

  /** Whether a check is answered by the copy now. */
  public boolean isLeased() {
    Copy held = copy;
    return held != null && held.leased && holds(held);
  }

  /** Releases the memory. */
  public void drop() {
    endLease();
    copy = null;
  }

  /** Releases the memory; the serving image is larger than the replica may be. */
  public void dropTooLarge() {
    tooLarge = true;
    drop();
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
