package io.bloomguard.autoconfigure.wiring;

import io.bloomguard.autoconfigure.properties.Backend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.cache.CachePlan;
import org.jspecify.annotations.Nullable;

/** Makes the stores and caches of one {@link Backend}. One bean each. */
public interface FilterBackend {

  Backend backend();

  FilterStore store(StoreOrder order);

  /**
   * @param codec what turns values into bytes, null where they are kept as they are
   */
  ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec);
}
