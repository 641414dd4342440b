package io.bloomguard.autoconfigure;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.MembershipFilters;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.LocalGenerations;
import io.bloomguard.generation.ParallelFill;
import io.bloomguard.generation.ReplicaSettings;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.LocalValueCache;
import io.bloomguard.guard.ValueCache;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Everything on this process' heap. */
final class LocalBackend implements FilterBackend {

  private final HashSecret secret;

  LocalBackend(HashSecret secret) {
    this.secret = secret;
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
      Duration journalRetention,
      @Nullable ReplicaSettings replica) {
    KeyHasher hasher = hash.hasher(secret);
    return new LocalGenerations(
        filter,
        next -> MembershipFilters.create(next, hasher),
        shape,
        journalRetention,
        ParallelFill.defaultHelpers(),
        System::nanoTime);
  }

  @Override
  public ValueCache cache(String name, CacheSettings settings) {
    return new LocalValueCache(settings);
  }
}
