package io.bloomguard.generation.internal.journal;

import io.bloomguard.guard.AddFailedException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The hashes of the keys added within a retention, each once and with the time of its last add.
 *
 * <p>A hash is one or two 64-bit words, from which all bits of its key follow. The first word is
 * multiplied by a random odd number, which can be undone, so that an attacker who chooses hashes
 * cannot choose slots. The eight highest bits of the product select one of 256 {@link
 * JournalSegment segments}; the other bits share a 64-bit slot with eight bits of time. A segment
 * is an open-addressing table that grows by a quarter, so once there are many keys, each takes at
 * most 12 bytes for each word of its hash, and growth never needs more than another 256th of the
 * memory.
 *
 * <p>The time is coarse: a key is kept for the retention, and up to a 60th of it longer. Older
 * entries are dropped when a segment has no room left, and by {@link #sweep}. The memory counts
 * towards a {@link JournalMemory}, and beyond that bound nothing is appended.
 *
 * <p>Used by any number of threads at once. An append waits only for others in the same segment,
 * for the copying of its table at most.
 */
public final class Journal {

  private static final int SEGMENTS = 256;

  /**
   * The ticks of a retention. They are well below {@link JournalSegment#STAMPS}, so that age stays
   * visible.
   */
  private static final int TICKS = 120;

  /** The number of complete sweeps within a retention. */
  private static final int SWEEPS = 8;

  /**
   * One in so many sweeps removes all old entries of a segment, long before any may seem young
   * again; each other sweep removes them only if they are many.
   */
  private static final int TURNS = 4;

  private static final Duration MOST_PATIENCE = Duration.ofMinutes(1);

  private final String filter;
  private final int words;
  private final long retentionNanos;
  private final long tickNanos;

  /** The greatest age, in ticks, that may be within the retention. */
  private final int liveTicks;

  private final LongSupplier ticker;
  private final long origin;
  private final JournalMemory memory;
  private final boolean confirms;
  private final long factor = ThreadLocalRandom.current().nextLong() | 1;
  private final long inverse = inverse(factor);
  private final JournalSegment[] segments = new JournalSegment[SEGMENTS];
  private final AtomicInteger holds = new AtomicInteger();

  /** The time of the last append, in nanoseconds since the origin; negative for never. */
  private final AtomicLong latest = new AtomicLong(-1);

  private final AtomicInteger sweeps = new AtomicInteger();
  private volatile long swept;
  private volatile boolean closed;

  /**
   * An empty journal.
   *
   * @param filter the filter's name, for messages
   * @param words the 64-bit words of a hash, 1 or 2
   * @param ticker a monotonic clock in nanoseconds, such as {@code System::nanoTime}
   */
  public Journal(
      String filter, int words, Duration retention, LongSupplier ticker, JournalMemory memory) {
    this(filter, words, retention, ticker, memory, false);
  }

  /**
   * An empty journal that may note that hashes were {@link #confirm confirmed}.
   *
   * @param confirms whether there is room for that: a bit for each slot
   */
  public Journal(
      String filter,
      int words,
      Duration retention,
      LongSupplier ticker,
      JournalMemory memory,
      boolean confirms) {
    this.filter = filter;
    this.confirms = confirms;
    this.words = words;
    this.retentionNanos = retention.toNanos();
    this.tickNanos = 1 + (retentionNanos - 1) / TICKS;
    // An entry may be from the end of its tick, and the present may be the beginning of this one.
    this.liveTicks = (int) ((retentionNanos - 1) / tickNanos) + 1;
    this.ticker = ticker;
    this.origin = ticker.getAsLong();
    this.memory = memory;
    Arrays.setAll(segments, i -> new JournalSegment(words, this));
  }

  /**
   * Appends a hash, or moves its time forward.
   *
   * @param hashes holds the words of the hash from {@code at} on
   * @throws AddFailedException if the bound is reached
   */
  public void append(long[] hashes, int at) {
    long product = hashes[at] * factor;
    long second = words == 1 ? 0 : hashes[at + 1];
    JournalSegment segment = segments[segment(product)];
    JournalMemory full = segment.put(rest(product), second);
    if (full != null && sweepOnceATick()) {
      full = segment.put(rest(product), second);
    }
    if (full != null) {
      throw full.full(filter, patience());
    }
  }

  /** Appends a hash of one word. */
  public void append(long hash) {
    append(new long[] {hash}, 0);
  }

  /**
   * Notes that the steps after an append have been done for a hash of one word.
   *
   * @param begun {@link #tick} before the append; a later append of the same hash removes the note,
   *     and an append in another tick prevents it
   */
  public void confirm(long hash, long begun) {
    long product = hash * factor;
    segments[segment(product)].confirm(rest(product), 0, begun);
  }

  /** Whether a hash of one word was appended within a duration before now, and confirmed since. */
  public boolean isConfirmed(long hash, Duration within) {
    // The append may have been at the beginning of its tick, and now may be the end of this one.
    long ticks = within.toNanos() / tickNanos - 1;
    if (elapsed() - swept > retentionNanos) {
      // A process that was suspended for long: very old entries may seem young until they are
      // swept.
      return false;
    }
    long product = hash * factor;
    return ticks >= 0
        && segments[segment(product)].isConfirmed(
            rest(product), 0, (int) Math.min(ticks, JournalSegment.STAMPS - 1));
  }

  /** Whether a hash of one word was appended within the retention. */
  public boolean contains(long hash) {
    long product = hash * factor;
    return segments[segment(product)].contains(rest(product), 0, liveTicks);
  }

  private Duration patience() {
    Duration share = Duration.ofNanos(retentionNanos / SWEEPS);
    return share.compareTo(MOST_PATIENCE) < 0 ? share : MOST_PATIENCE;
  }

  /**
   * Keeps all entries that are within the retention now until the hold is closed, so that reading
   * them may take long.
   */
  public Hold hold() {
    holds.incrementAndGet();
    return new Hold(tick());
  }

  /**
   * Passes every hash within the retention to {@code consumer}, segment by segment and in no order.
   */
  public void forEach(Hashes consumer) {
    try (Hold hold = hold()) {
      hold.forEach(consumer);
    }
  }

  /** Whether all entries are older than the retention. */
  public boolean isEmpty() {
    long last = latest.get();
    return last < 0 || elapsed() - last > retentionNanos;
  }

  /** The number of hashes held, including old ones that are not dropped yet. */
  public long size() {
    long size = 0;
    for (JournalSegment segment : segments) {
      size += segment.size();
    }
    return size;
  }

  /** Gives up the memory of old entries, unless that was done recently. */
  public void sweep() {
    if (elapsed() - swept >= retentionNanos / SWEEPS) {
      sweepAll();
    }
  }

  private boolean sweepOnceATick() {
    if (tick() == swept / tickNanos) {
      return false;
    }
    sweepAll();
    return true;
  }

  private void sweepAll() {
    long now = elapsed();
    boolean late = now - swept > retentionNanos;
    swept = now;
    int turn = sweeps.getAndIncrement();
    for (int i = 0; i < SEGMENTS; i++) {
      segments[i].sweep((i + turn) % TURNS == 0, late);
    }
  }

  /** Forgets all entries and takes no more: the caller that appends must have other journals. */
  public void close() {
    closed = true;
    for (JournalSegment segment : segments) {
      segment.clear();
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the present tick and notes an append in it. Called under a segment's lock. */
  long appendTick() {
    long now = elapsed();
    // Never goes back: another thread may have read the clock later and arrived here first.
    latest.accumulateAndGet(now, Math::max);
    return now / tickNanos;
  }

  /** The time since the journal was made, in ticks. */
  public long tick() {
    return elapsed() / tickNanos;
  }

  private long elapsed() {
    return ticker.getAsLong() - origin;
  }

  /** The age up to which hashes are kept now, in ticks; read once for each step. */
  int keptTicks() {
    return holds.get() > 0 ? JournalSegment.STAMPS : liveTicks;
  }

  boolean confirms() {
    return confirms;
  }

  JournalMemory memory() {
    return memory;
  }

  private static int segment(long product) {
    return (int) (product >>> JournalSegment.REST_BITS);
  }

  private static long rest(long product) {
    return product & (1L << JournalSegment.REST_BITS) - 1;
  }

  private long hash(int segment, long rest) {
    return ((long) segment << JournalSegment.REST_BITS | rest) * inverse;
  }

  /** The inverse of an odd factor modulo 2^64, by Newton's iteration. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 5; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }

  /** A consumer of hashes. */
  @FunctionalInterface
  public interface Hashes {

    /**
     * @param hashes the words of {@code count} hashes, one hash after the other
     */
    void accept(long[] hashes, int count);
  }

  /** The entries within the retention at one moment, and all entries appended since. */
  public final class Hold implements AutoCloseable {

    private final long begin;
    private boolean ended;

    private Hold(long begin) {
      this.begin = begin;
    }

    /** Passes every hash to {@code consumer}, segment by segment and in no order. */
    public void forEach(Hashes consumer) {
      for (int i = 0; i < SEGMENTS; i++) {
        long[] hashes = segments[i].read(begin, liveTicks);
        for (int at = 0; at < hashes.length; at += words) {
          hashes[at] = hash(i, hashes[at]);
        }
        if (hashes.length > 0) {
          consumer.accept(hashes, hashes.length / words);
        }
      }
    }

    @Override
    public void close() {
      if (!ended) {
        ended = true;
        holds.decrementAndGet();
      }
    }
  }
}
