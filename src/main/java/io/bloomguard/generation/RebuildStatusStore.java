package io.bloomguard.generation;

/** Where those who share a filter tell one another of its builds. */
public interface RebuildStatusStore {

  /** The board of a store that no other process shares: it is always empty. */
  RebuildStatusStore NONE =
      new RebuildStatusStore() {
        @Override
        public RebuildStatus read() {
          return RebuildStatus.NONE;
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
  RebuildStatus read();

  /**
   * Asks the build that runs, wherever it does, to stop; false where none runs. One that is being
   * published already may still succeed.
   *
   * @throws StoreUnavailableException if the board is out of reach
   */
  boolean cancel();
}
