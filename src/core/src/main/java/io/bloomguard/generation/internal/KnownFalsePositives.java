package io.bloomguard.generation.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The false positives of one generation that this process knows: keys that its bits have, and for
 * which a null entry was stored twice. They are absent as those are that the bits lack.
 *
 * <p>A key is noted at its first null entry, and known from the next one on, if it was not added
 * meanwhile, nor so lately before that its row may still be uncommitted: a null entry alone does
 * not show that. The caller tells by a journal which keys were added lately; without one the second
 * null entry counts only if it is so much later than the first.
 *
 * <p>An add of a key changes no bit of it if it is in here, so only adds without a change need be
 * told. The hashes lie in buckets of eight, the latest first, and push the oldest of their bucket
 * out: 100,000 known ones and 50,000 noted ones, in 1.6 MB, which are taken with the first of them.
 * The check of a known one takes no lock.
 */
public final class KnownFalsePositives {

  private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int WAYS = 8;
  private static final int KNOWN = 100_000 / WAYS;
  private static final int NOTED = 50_000 / WAYS;
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  /** The locks of all sets, by hash. */
  private static final ReentrantLock[] CHANGING = new ReentrantLock[64];

  static {
    Arrays.setAll(CHANGING, i -> new ReentrantLock());
  }

  /**
   * @param known buckets of hashes; 0 is a free slot
   * @param noted buckets of hashes, and as many moments at which they were noted
   */
  private record Tables(long[] known, long[] noted) {}

  private final long patienceNanos;
  private final LongSupplier ticker;
  private final LongPredicate addedLately;
  private volatile @Nullable Tables tables;

  /**
   * An empty set.
   *
   * @param patience the least time between the two null entries of a key
   * @param ticker a monotonic clock, in nanoseconds
   * @param addedLately whether a key may have been added before its first null entry by a writer
   *     that has not committed its row yet; asked for its hash under the lock of {@link #added}
   */
  public KnownFalsePositives(Duration patience, LongSupplier ticker, LongPredicate addedLately) {
    this.patienceNanos = patience.toNanos();
    this.ticker = ticker;
    this.addedLately = addedLately;
  }

  /**
   * {@return whether a key is known to be absent}
   *
   * @param hash the hash of a key that the bits have
   */
  public boolean has(long hash) {
    Tables held = tables;
    return held != null && find(held.known, bucket(hash, KNOWN), hash) >= 0;
  }

  /** {@return whether no key was ever known or noted} */
  public boolean isEmpty() {
    return tables == null;
  }

  /**
   * Takes a key out whose add has changed no bit, before the add is acknowledged, and after the
   * caller's journal has it.
   *
   * @param hash the hash of the key
   */
  public void added(long hash) {
    Tables held = tables;
    if (held == null) {
      return;
    }
    ReentrantLock lock = lock(hash);
    lock.lock();
    try {
      clear(held.known, find(held.known, bucket(hash, KNOWN), hash));
      clear(held.noted, find(held.noted, bucket(hash, NOTED), hash));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Notes that a null entry was stored for a key that the bits have.
   *
   * @param hash the hash of the key
   * @return whether that had happened before
   */
  public boolean foundNothing(long hash) {
    // The tables come first: an add that does not see them was journalled before this asks.
    Tables held = made();
    ReentrantLock lock = lock(hash);
    lock.lock();
    try {
      if (hash == 0) {
        return false;
      }
      if (find(held.known, bucket(hash, KNOWN), hash) >= 0) {
        return true;
      }
      int bucket = bucket(hash, NOTED);
      int at = find(held.noted, bucket, hash);
      long now = ticker.getAsLong();
      if (at < 0) {
        push(held.noted, bucket + NOTED * WAYS, now);
        push(held.noted, bucket, hash);
      } else if (now - held.noted[at + NOTED * WAYS] >= patienceNanos && !addedLately.test(hash)) {
        clear(held.noted, at);
        push(held.known, bucket(hash, KNOWN), hash);
      }
      return at >= 0;
    } finally {
      lock.unlock();
    }
  }

  private Tables made() {
    Tables held = tables;
    if (held != null) {
      return held;
    }
    CHANGING[0].lock();
    try {
      held = tables;
      if (held == null) {
        held = new Tables(new long[KNOWN * WAYS], new long[2 * NOTED * WAYS]);
        tables = held;
      }
      return held;
    } finally {
      CHANGING[0].unlock();
    }
  }

  /** The lock of a hash's buckets: two neighbours of the known ones are one of the noted. */
  private static ReentrantLock lock(long hash) {
    return CHANGING[bucket(hash, NOTED) / WAYS % CHANGING.length];
  }

  /** The index of the first slot of a hash's bucket. */
  private static int bucket(long hash, int buckets) {
    return (int) ((hash * FACTOR >>> 32) * buckets >>> 32) * WAYS;
  }

  private static int find(long[] slots, int bucket, long hash) {
    for (int i = bucket; i < bucket + WAYS; i++) {
      if ((long) SLOTS.getOpaque(slots, i) == hash) {
        return hash == 0 ? -1 : i;
      }
    }
    return -1;
  }

  private static void clear(long[] slots, int at) {
    if (at >= 0) {
      SLOTS.setOpaque(slots, at, 0L);
    }
  }

  /** Puts a value first, and the others of the bucket one further. */
  private static void push(long[] slots, int bucket, long value) {
    for (int i = bucket + WAYS - 1; i > bucket; i--) {
      SLOTS.setOpaque(slots, i, slots[i - 1]);
    }
    SLOTS.setOpaque(slots, bucket, value);
  }
}
