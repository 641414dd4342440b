package io.bloomguard.generation.internal.journal;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of a journal that share their eight highest bits: an open-addressing table with linear
 * probing.
 *
 * <p>A slot is 56 bits of the hash and the stamp of its tick, 1 to 255, so that no slot in use is
 * 0; a second word follows if a hash has two. A stamp is the age modulo 255 ticks. An entry that is
 * seldom checked may seem young again, and is then kept for longer than necessary.
 */
final class JournalSegment {

  /** The bits of a hash in a slot. */
  static final int REST_BITS = 56;

  /** The number of distinguishable ages, from 0 to one less. */
  static final int STAMPS = 255;

  private static final int STAMP_MASK = 0xff;
  private static final int STAMP_BITS = 8;
  private static final int ARRAY_HEADER_BYTES = 16;
  private static final int LEAST_SLOTS = 4;
  private static final long[] NONE = {};

  private final int words;
  private final Journal journal;
  private final ReentrantLock lock = new ReentrantLock();

  // The holder of the lock owns all fields below.
  private long[] table = NONE;

  /** A bit for each slot: whether its hash was confirmed since its last append. */
  private long[] confirmed = NONE;

  private int used;

  JournalSegment(int words, Journal journal) {
    this.words = words;
    this.journal = journal;
  }

  /** Stores a hash; or stores none, and returns the bound that would be exceeded. */
  @Nullable JournalMemory put(long rest, long second) {
    lock.lock();
    try {
      if (journal.isClosed()) {
        return null;
      }
      // The clock is read under the lock, so that no time of this segment goes back.
      long tick = journal.appendTick();
      int at = find(rest, second);
      if (at < 0 || table[at] == 0) {
        if (used >= room(slots())) {
          JournalMemory full = makeRoom(tick);
          if (full != null) {
            return full;
          }
          at = find(rest, second);
        }
        used++;
      }
      table[at] = rest << STAMP_BITS | stamp(tick);
      confirm(at / words, false);
      if (words == 2) {
        table[at + 1] = second;
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Confirms a hash if its last append was in {@code tick}; does nothing otherwise. */
  void confirm(long rest, long second, long tick) {
    lock.lock();
    try {
      int at = find(rest, second);
      if (at >= 0 && table[at] != 0 && (table[at] & STAMP_MASK) == stamp(tick)) {
        confirm(at / words, true);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether a hash was confirmed since its last append, which is not older than so many ticks. */
  boolean isConfirmed(long rest, long second, int ticks) {
    lock.lock();
    try {
      int at = find(rest, second);
      if (at < 0 || table[at] == 0 || age(table[at], journal.tick()) > ticks) {
        return false;
      }
      int slot = at / words;
      return journal.confirms() && (confirmed[slot >>> 6] & 1L << slot) != 0;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a hash was appended, so many ticks ago at most. */
  boolean contains(long rest, long second, int ticks) {
    lock.lock();
    try {
      int at = find(rest, second);
      return at >= 0 && table[at] != 0 && age(table[at], journal.tick()) <= ticks;
    } finally {
      lock.unlock();
    }
  }

  private void confirm(int slot, boolean value) {
    if (journal.confirms()) {
      long bit = 1L << slot;
      confirmed[slot >>> 6] = value ? confirmed[slot >>> 6] | bit : confirmed[slot >>> 6] & ~bit;
    }
  }

  /**
   * Gives up old entries.
   *
   * @param all also if they are less than an eighth
   * @param late whether the last sweep is so long ago that very old entries may seem young: then no
   *     entry counts as confirmed
   */
  void sweep(boolean all, boolean late) {
    lock.lock();
    try {
      if (late) {
        Arrays.fill(confirmed, 0);
      }
      long tick = journal.tick();
      int age = journal.keptTicks();
      int kept = count(tick, age);
      if (kept == 0) {
        drop();
      } else if (used - kept > (all ? 0 : used >>> 3)) {
        int slots = Math.min(slots(), fitting(kept));
        journal.memory().release(bytes(slots()) - bytes(slots));
        copyInto(slots, tick, age);
      }
    } finally {
      lock.unlock();
    }
  }

  void clear() {
    lock.lock();
    try {
      drop();
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return used;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The words of all hashes that were not older than {@code age} ticks at a tick, or were appended
   * since.
   *
   * @param tick not later than now
   */
  long[] read(long tick, int age) {
    lock.lock();
    try {
      long now = journal.tick();
      long most = age + (now - tick);
      long[] hashes = new long[used * words];
      int count = 0;
      for (int at = 0; at < table.length; at += words) {
        if (table[at] != 0 && age(table[at], now) <= most) {
          hashes[count++] = table[at] >>> STAMP_BITS;
          if (words == 2) {
            hashes[count++] = table[at + 1];
          }
        }
      }
      return count == hashes.length ? hashes : Arrays.copyOf(hashes, count);
    } finally {
      lock.unlock();
    }
  }

  /** The slot of a hash, or the free slot for it; negative if there is no table. */
  private int find(long rest, long second) {
    int slots = slots();
    if (slots == 0) {
      return -1;
    }
    int slot = (int) ((rest >>> REST_BITS - Integer.SIZE) * slots >>> Integer.SIZE);
    while (true) {
      int at = slot * words;
      long held = table[at];
      if (held == 0 || (held >>> STAMP_BITS == rest && (words == 1 || table[at + 1] == second))) {
        return at;
      }
      slot = slot + 1 == slots ? 0 : slot + 1;
    }
  }

  /** Drops old entries, and grows if that is not enough. */
  private @Nullable JournalMemory makeRoom(long tick) {
    int age = journal.keptTicks();
    int kept = count(tick, age);
    int slots = fitting(kept + 1);
    long more = bytes(slots) - bytes(slots());
    if (more > 0) {
      JournalMemory full = journal.memory().take(more);
      if (full != null) {
        // Only if the room lasts for a while: a copy for each key would cost too much.
        int room = room(slots());
        if (kept >= room - (room >>> 4)) {
          return full;
        }
        slots = slots();
      }
    } else {
      journal.memory().release(-more);
    }
    copyInto(slots, tick, age);
    return null;
  }

  /**
   * Replaces the table by one with so many slots and the entries that are not older than {@code
   * age}.
   */
  private void copyInto(int slots, long tick, int age) {
    long[] from = table;
    long[] were = confirmed;
    table = new long[slots * words];
    confirmed = journal.confirms() ? new long[bitWords(slots)] : NONE;
    used = 0;
    for (int at = 0; at < from.length; at += words) {
      long held = from[at];
      if (held != 0 && age(held, tick) <= age) {
        int to = find(held >>> STAMP_BITS, words == 1 ? 0 : from[at + 1]);
        table[to] = held;
        if (words == 2) {
          table[to + 1] = from[at + 1];
        }
        int slot = at / words;
        if (journal.confirms() && (were[slot >>> 6] & 1L << slot) != 0) {
          confirm(to / words, true);
        }
        used++;
      }
    }
  }

  private void drop() {
    journal.memory().release(bytes(slots()));
    table = NONE;
    confirmed = NONE;
    used = 0;
  }

  private int count(long tick, int age) {
    int count = 0;
    for (int at = 0; at < table.length; at += words) {
      if (table[at] != 0 && age(table[at], tick) <= age) {
        count++;
      }
    }
    return count;
  }

  private int slots() {
    return table.length / words;
  }

  /** The usable ones of so many slots. */
  private static int room(int slots) {
    return slots - Math.max(slots >>> 3, Math.min(slots, 1));
  }

  /** The slots for so many hashes at 70 % use: a quarter more than a table full of them has. */
  private static int fitting(int hashes) {
    return Math.max(LEAST_SLOTS, Math.toIntExact(hashes + (hashes * 7L >>> 4)));
  }

  private long bytes(int slots) {
    if (slots == 0) {
      return 0;
    }
    long bits = journal.confirms() ? ARRAY_HEADER_BYTES + (long) bitWords(slots) * Long.BYTES : 0;
    return ARRAY_HEADER_BYTES + (long) slots * words * Long.BYTES + bits;
  }

  private static int bitWords(int slots) {
    return (slots + 63) >>> 6;
  }

  private static int stamp(long tick) {
    return 1 + (int) (tick % STAMPS);
  }

  private static int age(long held, long tick) {
    return Math.floorMod(tick - ((held & STAMP_MASK) - 1), STAMPS);
  }
}
