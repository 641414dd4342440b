package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.StoreKind;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.MembershipFilter;
import io.bloomguard.filter.MembershipFilters;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.ParallelFill;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.SnapshotForm;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.internal.cache.CachePlan;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Everything on this process' heap, and what filters leave on the disk for the next process. */
public final class LocalBackend implements FilterBackend, CacheBackend {

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
  public StoreKind kind() {
    return StoreKind.LOCAL;
  }

  @Override
  public Backend place() {
    return Backend.LOCAL;
  }

  @Override
  public FilterStore store(StoreOrder order) {
    HashSecret kept = snapshots.secret(order);
    KeyHasher keyed = order.properties().hashOrDefault().hasher(kept == null ? secret : kept);
    KeyHasher hasher = order.folding().over(keyed);
    return store(
        order,
        new BlockedSnapshot(order.filter(), order.shape(), hasher),
        next -> MembershipFilters.create(next, hasher));
  }

  /**
   * A store on this process' heap.
   *
   * @param form the form of its snapshot, if it has one
   * @param filters makes an empty filter of a shape
   */
  public static FilterStore store(
      StoreOrder order, SnapshotForm form, Function<FilterShape, MembershipFilter> filters) {
    return new LocalGenerations(
        order.filter(),
        filters,
        order.shape(),
        order.journalRetention(),
        order.journalMemory(),
        ParallelFill.defaultHelpers(),
        System::nanoTime,
        Snapshots.snapshot(order, form));
  }

  @Override
  public ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec) {
    return new LocalValueCache(plan.settings(), codec);
  }
}
