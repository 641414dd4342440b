package io.bloomguard.generation;

/** The status of a filter's builds, shared by all processes that share the filter. */
public interface RebuildStatusStore {

  /** Of a store that no other process shares: it is always empty. */
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
   * The status of the builds of all processes that share the filter. Never throws: out of reach,
   * nothing runs, and what ended is as it was last read.
   */
  RebuildStatus read();

  /**
   * Asks the build that runs, wherever it does, to stop; false where none runs. One that is being
   * published already may still succeed.
   *
   * @throws StoreUnavailableException if it is out of reach
   */
  boolean cancel();
}
