package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/** The builds of one filter that have ended, in this process and in all that share its store. */
final class BuildHistory {

  private final GenerationStore store;
  private volatile @Nullable RebuildReport last;
  private volatile @Nullable RebuildReport lastSuccess;

  /** None in this process yet. */
  BuildHistory(GenerationStore store) {
    this.store = store;
  }

  /** Takes one that ended in this process. */
  void add(RebuildReport report) {
    last = report;
    if (report.outcome() == RebuildOutcome.SUCCEEDED) {
      lastSuccess = report;
    }
  }

  /** The last one that ended in this process, null for none. */
  @Nullable RebuildReport last() {
    return last;
  }

  /** The last one that succeeded in this process, null for none. */
  @Nullable RebuildReport lastSuccess() {
    return lastSuccess;
  }

  /**
   * What is known of all builds, read from the store once. Never throws.
   *
   * @param here the one that runs in this process, null for none
   */
  RebuildStatus status(@Nullable RunningBuild here) {
    RebuildStatus shared = store.rebuildStatus().read();
    return new RebuildStatus(
        here == null ? shared.running() : here.progress(),
        shared.last() == null ? last : shared.last(),
        shared.lastSuccess() == null ? lastSuccess : shared.lastSuccess());
  }

  /** How many keys the last build read that succeeded, as it reported; 0 if none is known. */
  long keysReported() {
    RebuildReport success = status(null).lastSuccess();
    return success == null ? 0 : success.keys();
  }

  /** What the last published build read: as the generation says, or else as it reported. */
  long keysRead() {
    long kept = store.keysRead();
    return kept == 0 ? keysReported() : kept;
  }
}
