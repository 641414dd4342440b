package io.bloomguard.guard.internal.cache;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes the value caches of an application. */
public interface ValueCaches {

  /** The plan by which {@code filter} keeps entries, unless a user of its cache overrides it. */
  CachePlan plan(String filter);

  /**
   * The codec of a cache's values, for copies or for another process; null if the cache keeps the
   * instances.
   */
  default @Nullable ValueCodec codec(String cache, CachePlan plan) {
    return null;
  }

  /** Makes the cache of that name; called once for each name. */
  ValueCache make(String cache, CachePlan plan, @Nullable ValueCodec codec);

  /** Caches with the same plan for all filters. */
  static ValueCaches alike(CacheSettings settings, Function<String, ValueCache> make) {
    CachePlan plan = new CachePlan("one", settings, false);
    return new ValueCaches() {
      @Override
      public CachePlan plan(String filter) {
        return plan;
      }

      @Override
      public ValueCache make(String cache, CachePlan ignored, @Nullable ValueCodec codec) {
        return make.apply(cache);
      }
    };
  }
}
