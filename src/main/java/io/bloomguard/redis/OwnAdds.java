package io.bloomguard.redis;

import io.bloomguard.generation.journal.Journal;
import io.bloomguard.generation.journal.JournalMemory;
import io.bloomguard.guard.JournalFullException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The hashes of the keys that this process has added to a partition within the journal's retention,
 * to be added again after Redis has lost writes.
 */
final class OwnAdds {

  private final Journal journal;

  /**
   * Remembers nothing yet.
   *
   * @param filter the filter's name, for messages
   * @param ticker nanoseconds that only go forward, such as {@code System::nanoTime}
   * @param memory bounds what is remembered
   */
  OwnAdds(String filter, Duration retention, LongSupplier ticker, JournalMemory memory) {
    this.journal = new Journal(filter, 1, retention, ticker, memory);
  }

  /**
   * Remembers hashes that are about to be sent; before, so that no acknowledged one is missing.
   *
   * @throws JournalFullException if there is no room for all of them; then none must be sent
   */
  void remember(List<Long> hashes) {
    long[] one = new long[1];
    for (long hash : hashes) {
      one[0] = hash;
      journal.append(one, 0);
    }
  }

  /** Hands over what is remembered, the latest {@code retention} at least, part by part. */
  void forEach(int part, Consumer<List<Long>> consumer) {
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

  /** About how many are remembered. */
  long count() {
    return journal.size();
  }

  /** Whether there is nothing to be added again. Gives up the heap of what is too old for it. */
  boolean isEmpty() {
    journal.sweep();
    return journal.isEmpty();
  }

  /** Forgets everything, and remembers nothing more: another hashing has taken the place. */
  void close() {
    journal.close();
  }
}
