package io.bloomguard.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The hashes of the keys that this process has added to a partition within the journal's retention,
 * to be added again after Redis has lost writes. Eight bytes a key.
 */
final class OwnAdds {

  private static final int FIRST = 64;
  private static final int LARGEST = 1 << 16;

  /** A span is closed after this share of the retention, so that old ones can go. */
  private static final int SPANS = 16;

  private final long retentionNanos;
  private final LongSupplier ticker;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Span> spans = new ArrayDeque<>();

  /**
   * Remembers nothing yet.
   *
   * @param ticker nanoseconds that only go forward, such as {@code System::nanoTime}
   */
  OwnAdds(Duration retention, LongSupplier ticker) {
    this.retentionNanos = retention.toNanos();
    this.ticker = ticker;
  }

  /** Remembers hashes that are about to be sent; before, so that no acknowledged one is missing. */
  void remember(List<Long> hashes) {
    long now = ticker.getAsLong();
    lock.lock();
    try {
      forget(now);
      for (long hash : hashes) {
        Span last = spans.peekLast();
        if (last == null || last.isClosed(now)) {
          last = new Span(now);
          spans.add(last);
        }
        last.add(hash, now);
      }
    } finally {
      lock.unlock();
    }
  }

  /** What is remembered now, the latest {@code retention} at least. */
  List<Long> remembered() {
    lock.lock();
    try {
      forget(ticker.getAsLong());
      List<Long> all = new ArrayList<>();
      for (Span span : spans) {
        for (int i = 0; i < span.count; i++) {
          all.add(span.hashes[i]);
        }
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Whether there is nothing to be added again. Gives up the heap of what is too old for it. */
  boolean isEmpty() {
    lock.lock();
    try {
      forget(ticker.getAsLong());
      return spans.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private void forget(long now) {
    for (Span first = spans.peek();
        first != null && now - first.latest > retentionNanos;
        first = spans.peek()) {
      spans.remove();
    }
  }

  /** Hashes of one stretch of time. */
  private final class Span {

    private final long earliest;
    private long latest;
    private long[] hashes = new long[FIRST];
    private int count;

    Span(long now) {
      earliest = now;
      latest = now;
    }

    boolean isClosed(long now) {
      return count == LARGEST || now - earliest > retentionNanos / SPANS;
    }

    void add(long hash, long now) {
      if (count == hashes.length) {
        hashes = Arrays.copyOf(hashes, Math.min(LARGEST, 2 * count));
      }
      hashes[count++] = hash;
      latest = now;
    }
  }
}
