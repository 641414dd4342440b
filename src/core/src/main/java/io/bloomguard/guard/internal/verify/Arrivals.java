package io.bloomguard.guard.internal.verify;

/**
 * The keys that reach a filter some time after their rows, as its settings allow: through a query
 * of recent rows, through a replica that may be behind, or after a trusted snapshot.
 */
public interface Arrivals {

  /** Every key is in the filter before its row is visible. */
  Arrivals NONE = new Arrivals() {};

  /** Whether keys may be missing now that will arrive later. */
  default boolean expected() {
    return false;
  }

  /**
   * Whether the keys of all rows that were visible at a moment have arrived by now.
   *
   * @param moment of {@code System.nanoTime()}
   */
  default boolean completeSince(long moment) {
    return true;
  }
}
