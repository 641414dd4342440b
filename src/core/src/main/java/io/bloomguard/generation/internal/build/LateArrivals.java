package io.bloomguard.generation.internal.build;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.source.IncrementalScan;
import io.bloomguard.guard.internal.verify.Arrivals;
import org.jspecify.annotations.Nullable;

/** The keys that reach a filter late, by the knowledge of its source and its store. */
record LateArrivals(GenerationStore store, @Nullable IncrementalScan recent) implements Arrivals {

  @Override
  public boolean expected() {
    return (recent != null && recent.isKnown()) || store.snapshotTime() != null || copied() != null;
  }

  @Override
  public boolean completeSince(long moment) {
    if (recent != null && recent.isKnown() && !recent.hasReadSince(moment)) {
      return false;
    }
    if (store.snapshotTime() != null) {
      return false;
    }
    // Without a copy the filter itself answers, which is never behind.
    ReplicatedStore copy = copied();
    double lag = copy == null ? Double.NaN : copy.replicaLagSeconds();
    return Double.isNaN(lag) || System.nanoTime() - (long) (lag * 1e9) - moment > 0;
  }

  /** The store whose copy answers and may be behind, null for none. */
  private @Nullable ReplicatedStore copied() {
    return store instanceof ReplicatedStore copied && copied.mayBeBehind() ? copied : null;
  }
}
