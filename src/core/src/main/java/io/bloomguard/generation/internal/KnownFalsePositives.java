package io.bloomguard.generation.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
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
 * told. 112,000 known and as many noted hashes take 2.2 MB, with the first of them. A hash may lie
 * in two buckets of eight, and comes into the one with more room (Azar, Broder, Karlin and Upfal,
 * "Balanced Allocations", 1999); in a full one it pushes the oldest out. The check of a known one
 * takes no lock.
 */
public final class KnownFalsePositives {

  private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int WAYS = 8;
  private static final int BUCKETS = 112_000 / WAYS;
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  /** The locks of all sets, by bucket. */
  private static final ReentrantLock[] CHANGING = new ReentrantLock[64];

  static {
    Arrays.setAll(CHANGING, i -> new ReentrantLock());
  }

  /**
   * The buckets, in each of which the latest hash is first; 0 is a free slot.
   *
   * @param times the seconds since the set was made at which the noted ones were noted
   */
  private record Tables(long[] known, long[] noted, int[] times) {}

  private final long patienceNanos;
  private final LongSupplier ticker;
  private final long origin;
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
    this.origin = ticker.getAsLong();
    this.addedLately = addedLately;
  }

  /**
   * {@return whether a key is known to be absent}
   *
   * @param hash the hash of a key that the bits have
   */
  public boolean has(long hash) {
    Tables held = tables;
    return held != null && find(held.known, hash) >= 0;
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
    if (held != null) {
      locked(
          hash,
          () -> {
            remove(held.known, hash);
            return remove(held.noted, hash);
          });
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
    return hash != 0 && locked(hash, () -> foundNothing(held, hash));
  }

  private boolean foundNothing(Tables held, long hash) {
    if (find(held.known, hash) >= 0) {
      return true;
    }
    long elapsed = ticker.getAsLong() - origin;
    int at = find(held.noted, hash);
    if (at < 0) {
      int bucket = roomier(held.noted, hash);
      int end = push(held.noted, bucket, hash);
      System.arraycopy(held.times, bucket, held.times, bucket + 1, end - bucket);
      // The next second: it must not seem noted too early.
      held.times[bucket] = (int) (TimeUnit.NANOSECONDS.toSeconds(elapsed) + 1);
      return false;
    }
    boolean patient =
        patienceNanos == 0 || elapsed - TimeUnit.SECONDS.toNanos(held.times[at]) >= patienceNanos;
    if (patient && !addedLately.test(hash)) {
      remove(held.noted, hash);
      push(held.known, roomier(held.known, hash), hash);
    }
    return true;
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
        int slots = BUCKETS * WAYS;
        held = new Tables(new long[slots], new long[slots], new int[slots]);
        tables = held;
      }
      return held;
    } finally {
      CHANGING[0].unlock();
    }
  }

  /** A change of the two buckets of a hash. */
  private static boolean locked(long hash, BooleanSupplier change) {
    int one = first(hash) / WAYS % CHANGING.length;
    int other = second(hash) / WAYS % CHANGING.length;
    ReentrantLock before = CHANGING[Math.min(one, other)];
    ReentrantLock after = CHANGING[Math.max(one, other)];
    before.lock();
    after.lock();
    try {
      return change.getAsBoolean();
    } finally {
      after.unlock();
      before.unlock();
    }
  }

  /** The first slot of a hash's first bucket. */
  private static int first(long hash) {
    return bucket(hash * FACTOR >>> 32);
  }

  private static int second(long hash) {
    return bucket(hash * FACTOR & 0xffffffffL);
  }

  private static int bucket(long bits) {
    return (int) (bits * BUCKETS >>> 32) * WAYS;
  }

  /** The slot of a hash, -1 for none. */
  private static int find(long[] slots, long hash) {
    int at = find(slots, first(hash), hash);
    return at >= 0 ? at : find(slots, second(hash), hash);
  }

  private static int find(long[] slots, int bucket, long hash) {
    for (int i = bucket; i < bucket + WAYS; i++) {
      if ((long) SLOTS.getOpaque(slots, i) == hash) {
        return hash == 0 ? -1 : i;
      }
    }
    return -1;
  }

  private static boolean remove(long[] slots, long hash) {
    int at = find(slots, hash);
    if (at >= 0) {
      SLOTS.setOpaque(slots, at, 0L);
    }
    return at >= 0;
  }

  /** The bucket of a hash with more free slots. */
  private static int roomier(long[] slots, long hash) {
    int first = first(hash);
    int second = second(hash);
    return free(slots, second) > free(slots, first) ? second : first;
  }

  private static int free(long[] slots, int bucket) {
    int free = 0;
    for (int i = bucket; i < bucket + WAYS; i++) {
      free += slots[i] == 0 ? 1 : 0;
    }
    return free;
  }

  /**
   * Puts a hash first, and those before the first free slot, or before the last slot, one further.
   *
   * @return that slot
   */
  private static int push(long[] slots, int bucket, long hash) {
    int end = bucket;
    while (slots[end] != 0 && end < bucket + WAYS - 1) {
      end++;
    }
    for (int i = end; i > bucket; i--) {
      SLOTS.setOpaque(slots, i, slots[i - 1]);
    }
    SLOTS.setOpaque(slots, bucket, hash);
    return end;
  }
}
