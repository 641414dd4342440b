package io.bloomguard.autoconfigure;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.ValueCache;
import java.time.Duration;

/** Makes the stores and caches of one {@link Backend}. One bean each. */
interface FilterBackend {

  Backend backend();

  GenerationStore store(String filter, FilterShape shape, KeyHash hash, Duration journalRetention);

  ValueCache cache(String name, CacheSettings settings);
}
