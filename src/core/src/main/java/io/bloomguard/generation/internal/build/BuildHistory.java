package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RunningBuild;
import org.jspecify.annotations.Nullable;

/** The ended builds of one filter, in this process and in all processes that share its store. */
final class BuildHistory {

  private final GenerationStore store;
  private volatile @Nullable RebuildReport last;
  private volatile @Nullable RebuildReport lastSuccess;

  /** A history without any build of this process yet. */
  BuildHistory(GenerationStore store) {
    this.store = store;
  }

  /** Takes the report of a build that ended in this process. */
  void add(RebuildReport report) {
    last = report;
    if (report.outcome() == RebuildOutcome.SUCCEEDED) {
      lastSuccess = report;
    }
  }

  /** The last build that ended in this process, null for none. */
  @Nullable RebuildReport last() {
    return last;
  }

  /** The last build that succeeded in this process, null for none. */
  @Nullable RebuildReport lastSuccess() {
    return lastSuccess;
  }

  /**
   * The known status of all builds, read from the store once. Never throws.
   *
   * @param here the build that runs in this process, null for none
   */
  RebuildStatus status(@Nullable RunningBuild here) {
    RebuildStatus shared = store.rebuildStatus().read();
    return new RebuildStatus(
        here == null ? shared.running() : here.progress(),
        shared.last() == null ? last : shared.last(),
        shared.lastSuccess() == null ? lastSuccess : shared.lastSuccess());
  }

  /** The number of keys that the last successful build reported; 0 if none is known. */
  long keysReported() {
    RebuildReport success = status(null).lastSuccess();
    return success == null ? 0 : success.keys();
  }

  /**
   * The number of keys that the last published build read, by the generation's record or else by
   * its report.
   */
  long keysRead() {
    long kept = store.keysRead();
    return kept == 0 ? keysReported() : kept;
  }
}
