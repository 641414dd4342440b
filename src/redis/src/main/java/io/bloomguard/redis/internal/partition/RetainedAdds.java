package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.internal.journal.Journal;
import io.bloomguard.guard.AddFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The hashes of this process' adds to a partition within the journal's retention, to add again
 * after Redis has lost writes.
 */
final class RetainedAdds {

  private final Journal journal;
  private final Duration fresh;
  private final ReadWriteLock addingAgain = new ReentrantReadWriteLock();

  /** The loss epoch after which everything was added again; 0 before this process knew any. */
  private volatile long settledFor;

  /**
   * Creates an empty set.
   *
   * @param bound the amount and the time of the retained adds
   * @param ticker monotonic nanoseconds, such as {@code System::nanoTime}
   */
  RetainedAdds(JournalBound bound, LongSupplier ticker) {
    this.journal = new Journal(bound.filter(), 1, bound.span(), ticker, bound.memory(), true);
    this.fresh = bound.fresh();
  }

  /** The moment before hashes are retained, for {@link #journalled}. */
  long begin() {
    return journal.tick();
  }

  /** Whether the journal in Redis has a fresh entry of this hash by this process. */
  boolean isJournalled(long hash) {
    return !fresh.isZero() && journal.isConfirmed(hash, fresh);
  }

  /**
   * Notes that hashes are in the journal in Redis.
   *
   * @param begun {@link #begin} before they were retained
   */
  void journalled(List<Long> hashes, long begun) {
    hashes.forEach(hash -> journal.confirm(hash, begun));
  }

  /**
   * Retains hashes before they are sent, so that no acknowledged one is missing.
   *
   * @throws AddFailedException if there is no room for all of them; then none must be sent
   */
  void remember(List<Long> hashes) {
    long[] one = new long[1];
    for (long hash : hashes) {
      one[0] = hash;
      journal.append(one, 0);
    }
  }

  /**
   * Stores an add under a claim, and retains its hashes then: were one that failed added again
   * after a loss, its repeat would find its keys. {@link #forEach} does not come between the two.
   */
  <T> T once(List<Long> hashes, Supplier<T> add) {
    addingAgain.readLock().lock();
    try {
      T stored = add.get();
      remember(hashes);
      return stored;
    } finally {
      addingAgain.readLock().unlock();
    }
  }

  /** Passes on the retained adds of at least the latest {@code retention}, part by part. */
  void forEach(int part, Consumer<List<Long>> consumer) {
    addingAgain.writeLock().lock();
    try {
      passOn(part, consumer);
    } finally {
      addingAgain.writeLock().unlock();
    }
  }

  private void passOn(int part, Consumer<List<Long>> consumer) {
    List<Long> gathered = new ArrayList<>();
    journal.forEach(
        (hashes, count) -> {
          for (int i = 0; i < count; i++) {
            gathered.add(hashes[i]);
            if (gathered.size() == part) {
              consumer.accept(List.copyOf(gathered));
              gathered.clear();
            }
          }
        });
    if (!gathered.isEmpty()) {
      consumer.accept(List.copyOf(gathered));
    }
  }

  /** The approximate number of retained adds. */
  long count() {
    return journal.size();
  }

  /** Whether no add is retained. Releases the heap of those past their retention. */
  boolean isEmpty() {
    journal.sweep();
    return journal.isEmpty();
  }

  long settledFor() {
    return settledFor;
  }

  void settled(long losses) {
    settledFor = losses;
  }

  /** Whether this process has adds of its own that may be missing after some losses. */
  boolean isBehind(long losses) {
    // The adds come first: every reading of the head, at rest too, drops those past their
    // retention.
    return !isEmpty() && losses != settledFor;
  }

  /** Forgets everything and retains nothing more: another scheme has replaced this one. */
  void close() {
    journal.close();
  }
}
