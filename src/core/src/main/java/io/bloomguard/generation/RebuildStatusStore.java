package io.bloomguard.generation;

/** The status of a filter's builds, shared by all processes that share the filter. */
public interface RebuildStatusStore {

  /** The status for a store that no other process shares: it is always empty. */
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
   * {@return the status of the builds of all processes that share the filter} Never throws: if the
   * store is out of reach, no build is reported as running, and the ended builds are those read
   * last.
   */
  RebuildStatus read();

  /**
   * Asks the build that runs, in any process, to stop. A build that is being published already may
   * still succeed.
   *
   * @return false if none runs
   * @throws StoreUnavailableException if the store is out of reach
   */
  boolean cancel();
}
