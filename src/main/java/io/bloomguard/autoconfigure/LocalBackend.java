package io.bloomguard.autoconfigure;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.LocalGenerations;
import io.bloomguard.generation.ParallelFill;
import io.bloomguard.generation.ReplicaSettings;
import io.bloomguard.generation.journal.JournalMemory;
import io.bloomguard.guard.CachePlan;
import io.bloomguard.guard.LocalValueCache;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Everything on this process' heap, and what filters leave on the disk for the next process. */
final class LocalBackend implements FilterBackend {

  private final HashSecret secret;
  private final Map<String, FilterProperties> filters;
  private final Snapshots snapshots;

  /**
   * A backend of all {@code filters} that have it.
   *
   * @param configured the secret of all filters, null where it is made
   */
  LocalBackend(@Nullable HashSecret configured, Map<String, FilterProperties> filters) {
    this.secret = configured == null ? HashSecret.random() : configured;
    this.filters = filters;
    this.snapshots = new Snapshots(configured);
  }

  @Override
  public Backend backend() {
    return Backend.LOCAL;
  }

  @Override
  public GenerationStore store(
      String filter,
      FilterShape shape,
      KeyHash hash,
      KeyFolding folding,
      Duration journalRetention,
      JournalMemory journalMemory,
      @Nullable ReplicaSettings replica) {
    FilterProperties properties = Objects.requireNonNull(filters.get(filter), filter);
    HashSecret kept = snapshots.secret(filter, properties, shape, hash);
    KeyHasher hasher = folding.over(hash.hasher(kept == null ? secret : kept));
    return new LocalGenerations(
        filter,
        next -> MembershipFilters.create(next, hasher),
        shape,
        journalRetention,
        journalMemory,
        ParallelFill.defaultHelpers(),
        System::nanoTime,
        snapshots.snapshot(filter, properties, shape, hasher));
  }

  @Override
  public ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec) {
    return new LocalValueCache(plan.settings(), codec);
  }
}
