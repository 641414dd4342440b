package io.bloomguard.guard.cache;

import io.bloomguard.guard.CacheSettings;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes the value caches of an application. */
public interface ValueCaches {

  /** Where and how {@code filter} keeps entries, unless a user of its cache says otherwise. */
  CachePlan plan(String filter);

  /**
   * The codec of a cache's values, for copies or for another process; null if they are kept as they
   * are.
   */
  default @Nullable ValueCodec codec(String cache, CachePlan plan) {
    return null;
  }

  /** Makes the cache of that name; called once for each. */
  ValueCache make(String cache, CachePlan plan, @Nullable ValueCodec codec);

  /** Caches of which all filters have the same. */
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
