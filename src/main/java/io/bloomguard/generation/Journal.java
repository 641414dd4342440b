package io.bloomguard.generation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys added within a retention, oldest first.
 *
 * <p>A singly linked list of one small entry a key: the key's UTF-8 bytes and its time. An append
 * exchanges the tail and then links the former tail to the new entry; no append waits for another.
 * Trimming only moves the head, so whoever holds a {@link Mark} still sees everything appended
 * since, however long that takes: what a build must replay is kept by the mark alone.
 */
final class Journal {

  private final long retentionNanos;
  private final AtomicReference<Entry> head;
  private final AtomicReference<Entry> tail;

  /** An empty journal of keys not older than {@code retentionNanos}. */
  Journal(long retentionNanos) {
    this.retentionNanos = retentionNanos;
    Entry none = new Entry(new byte[0], 0);
    this.head = new AtomicReference<>(none);
    this.tail = new AtomicReference<>(none);
  }

  /** Appends a key at a time of the caller's nanosecond ticker. */
  void append(String key, long now) {
    Entry entry = new Entry(key.getBytes(UTF_8), now);
    tail.getAndSet(entry).next = entry;
    trim(now);
  }

  /** Forgets what is older than the retention. */
  void trim(long now) {
    while (true) {
      Entry last = head.get();
      Entry oldest = last.next;
      if (oldest == null
          || now - oldest.nanos <= retentionNanos
          || !head.compareAndSet(last, oldest)) {
        return;
      }
    }
  }

  /** The place before everything that is within the retention now. */
  Mark mark(long now) {
    trim(now);
    return new Mark(head.get());
  }

  /** A place in the journal from which it can be read. */
  final class Mark {

    private final Entry before;

    private Mark(Entry before) {
      this.before = before;
    }

    /** Hands over every key whose append had begun to take effect when this call began. */
    void forEach(Consumer<String> consumer) {
      Entry end = tail.get();
      for (Entry entry = before; entry != end; ) {
        Entry next = entry.next;
        if (next == null) {
          // Its successor has taken the tail and is about to be linked by the appending thread.
          Thread.onSpinWait();
          continue;
        }
        consumer.accept(new String(next.key, UTF_8));
        entry = next;
      }
    }
  }

  private static final class Entry {

    private final byte[] key;
    private final long nanos;
    private volatile @Nullable Entry next;

    Entry(byte[] key, long nanos) {
      this.key = key;
      this.nanos = nanos;
    }
  }
}
