package io.bloomguard.guard.verify;

/**
 * Keys that reach a filter some time after their rows, as its settings allow: by a query of recent
 * rows, by a replica that may be behind, after a snapshot that is trusted.
 */
public interface Arrivals {

  /** Every key is in the filter before its row is visible. */
  Arrivals NONE =
      new Arrivals() {
        @Override
        public boolean expected() {
          return false;
        }

        @Override
        public boolean completeSince(long moment) {
          return true;
        }
      };

  /** Whether keys may be missing now that will arrive. */
  boolean expected();

  /**
   * Whether every row that was visible at a moment has arrived by now.
   *
   * @param moment of {@code System.nanoTime()}
   */
  boolean completeSince(long moment);
}
