package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/**
 * The status of the builds of a filter.
 *
 * @param running the progress of the build that runs, {@link RebuildProgress#NONE} if none does
 * @param last the last build that ended, null if none is known
 * @param lastSuccess the last build that succeeded, null if none is known
 */
public record RebuildStatus(
    RebuildProgress running, @Nullable RebuildReport last, @Nullable RebuildReport lastSuccess) {

  /** The status if no build runs and none is known. */
  public static final RebuildStatus NONE = new RebuildStatus(RebuildProgress.NONE, null, null);
}
