package io.bloomguard.generation;

/**
 * The size of the journals of a filter.
 *
 * @param heap bytes on the heap of this process
 * @param shared bytes in the filter's store, for all processes that share it; 0 for a local filter
 * @param bound the most bytes of each
 */
public record JournalSize(long heap, long shared, long bound) {

  /** No journal. */
  static final JournalSize NONE = new JournalSize(0, 0, 0);
}
