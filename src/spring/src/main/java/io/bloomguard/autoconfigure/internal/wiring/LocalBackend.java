package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.filter.internal.MembershipFilters;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.generation.internal.ParallelFill;
import io.bloomguard.generation.internal.local.LocalGenerations;
import io.bloomguard.generation.internal.snapshot.BlockedSnapshot;
import io.bloomguard.generation.internal.snapshot.SnapshotForm;
import io.bloomguard.guard.CacheBackend;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.internal.cache.LocalValueCache;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Everything on this process' heap, and what filters leave on the disk for the next process. */
public final class LocalBackend implements FilterBackend, CacheBackend {

  private final HashSecret secret;
  private final OwnSettings settings;

  /**
   * @param configured the secret of all filters, null where it is made
   */
  public LocalBackend(@Nullable HashSecret configured, OwnSettings settings) {
    this.secret = configured == null ? HashSecret.random() : configured;
    this.settings = settings;
  }

  @Override
  public String name() {
    return Backend.LOCAL;
  }

  @Override
  public FilterShape shape(String filter, FilterShape sized) {
    return onHeap(filter, sized);
  }

  /**
   * The dimensions of a filter on the heap.
   *
   * @throws StartRefusedException if no array is so large
   */
  public static FilterShape onHeap(String filter, FilterShape sized) {
    try {
      return sized.onHeap();
    } catch (IllegalArgumentException e) {
      String prefix = "bloomguard.filters." + filter;
      throw new StartRefusedException(
          prefix + ": " + e.getMessage(),
          "Set " + prefix + ".backend to 'redis', or lower .expected-insertions.");
    }
  }

  @Override
  public FilterStore store(StoreOrder order) {
    HashSecret kept = Snapshots.secret(order, settings);
    HashSecret own = kept == null ? secret : kept;
    KeyHasher hasher = order.folding().over(order.hash().hasher(own));
    return store(
        order,
        settings,
        new BlockedSnapshot(order.filter(), order.shape(), order.hash(), own, order.folding()),
        next -> MembershipFilters.create(next, hasher, BlockGeometry.drawSalt()));
  }

  /**
   * A store on this process' heap.
   *
   * @param form the form of its snapshot, if it has one
   * @param filters makes an empty filter of a shape
   */
  public static FilterStore store(
      StoreOrder order,
      OwnSettings settings,
      SnapshotForm form,
      Function<FilterShape, MembershipFilter> filters) {
    return new LocalGenerations(
            order.filter(),
            filters,
            order.shape(),
            order.journalRetention(),
            settings.journal(order),
            ParallelFill.defaultHelpers(),
            System::nanoTime,
            Snapshots.snapshot(order, settings, form))
        .keepingPrevious(settings.of(order.filter()).rebuild().keepPrevious())
        .with(settings.claims(order.filter()));
  }

  @Override
  public ValueCache cache(String name, CacheSettings settings, @Nullable ValueCodec codec) {
    return new LocalValueCache(settings, codec);
  }
}
