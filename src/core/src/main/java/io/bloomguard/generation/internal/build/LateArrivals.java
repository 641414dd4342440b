package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.generation.internal.source.IncrementalScan;
import io.bloomguard.guard.internal.verify.Arrivals;
import org.jspecify.annotations.Nullable;

/** The keys that reach a filter late, by the knowledge of its source and its store. */
record LateArrivals(
    GenerationStore store, @Nullable IncrementalScan recent, @Nullable FilterFeed feed)
    implements Arrivals {

  @Override
  public boolean expected() {
    return feed != null || (recent != null && recent.isKnown()) || store.snapshotTime() != null;
  }

  @Override
  public boolean completeSince(long moment) {
    if (recent != null && recent.isKnown() && !recent.hasReadSince(moment)) {
      return false;
    }
    return (feed == null || feed.isCompleteSince(moment)) && store.snapshotTime() == null;
  }
}
