package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.internal.cache.CachePlan;
import org.jspecify.annotations.Nullable;

/** Makes the caches of values in one place, {@code local} or {@code redis}. One bean each. */
public interface CacheBackend {

  Backend place();

  /**
   * @param codec what turns values into bytes, null where they are kept as they are
   */
  ValueCache cache(String name, CachePlan plan, @Nullable ValueCodec codec);
}
