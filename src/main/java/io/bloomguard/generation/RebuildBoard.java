package io.bloomguard.generation;

/** Where those who share a filter tell one another of its builds. */
public interface RebuildBoard {

  /** The board of a store that no other process shares: it is always empty. */
  RebuildBoard NONE =
      new RebuildBoard() {
        @Override
        public RebuildNews read() {
          return RebuildNews.NONE;
        }

        @Override
        public boolean cancel() {
          return false;
        }
      };

  /**
   * What is known of the builds of all who share the filter. Never throws: while the board is out
   * of reach nothing runs, and what ended is as it was last read.
   */
  RebuildNews read();

  /**
   * Asks the build that runs, wherever it does, to stop; false where none runs. One that is being
   * published already may still succeed.
   *
   * @throws StoreUnavailableException if the board is out of reach
   */
  boolean cancel();
}
