package io.bloomguard.autoconfigure.wiring;

import io.bloomguard.autoconfigure.properties.Backend;
import io.bloomguard.autoconfigure.properties.FilterProperties;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.MembershipFilters;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.ParallelFill;
import io.bloomguard.generation.local.LocalGenerations;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.cache.CachePlan;
import io.bloomguard.guard.cache.LocalValueCache;
import org.jspecify.annotations.Nullable;

/** Everything on this process' heap, and what filters leave on the disk for the next process. */
public final class LocalBackend implements FilterBackend {

  private final HashSecret secret;
  private final Snapshots snapshots;

  /**
   * @param configured the secret of all filters, null where it is made
   */
  public LocalBackend(@Nullable HashSecret configured) {
    this.secret = configured == null ? HashSecret.random() : configured;
    this.snapshots = new Snapshots(configured);
  }

  @Override
  public Backend backend() {
    return Backend.LOCAL;
  }

  @Override
  public FilterStore store(StoreOrder order) {
    FilterProperties properties = order.properties();
    FilterShape shape = order.shape();
    HashSecret kept = snapshots.secret(order.filter(), properties, shape);
    KeyHasher keyed = properties.hashOrDefault().hasher(kept == null ? secret : kept);
    KeyHasher hasher = order.folding().over(keyed);
    return new LocalGenerations(
        order.filter(),
        next -> MembershipFilters.create(next, hasher, properties.funnelOrDefault()),
        shape,
        order.journalRetention(),
        order.journalMemory(),
        ParallelFill.defaultHelpers(),
        System::nanoTime,
        snapshots.snapshot(order.filter(), properties, shape, hasher));
  }

  @Override
  public ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec) {
    return new LocalValueCache(plan.settings(), codec);
  }
}
