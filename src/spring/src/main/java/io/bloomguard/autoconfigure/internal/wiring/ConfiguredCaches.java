package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.internal.cache.CachePlan;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.json.internal.JsonValues;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The value caches of the properties: a cache lives where its filter lives. */
final class ConfiguredCaches implements ValueCaches {

  private final BloomguardProperties properties;
  private final FilterBackends backends;

  ConfiguredCaches(BloomguardProperties properties, FilterBackends backends) {
    this.properties = properties;
    this.backends = backends;
  }

  @Override
  public CachePlan plan(String filter) {
    return properties.cachePlan(filter);
  }

  /** Where the backend needs bytes, Jackson is there; for copies the application may lack it. */
  @Override
  public @Nullable ValueCodec codec(String cache, CachePlan plan) {
    if (!plan.copy() && backends.ofCaches(plan.backend()) instanceof LocalBackend) {
      return null;
    }
    if (!ClassUtils.isPresent(BootNames.JSON_MAPPER, null)) {
      throw new StartRefusedException(
          "The cache '%s' copies values, but %s is not on the class path"
              .formatted(cache, BootNames.JACKSON),
          "Add org.springframework.boot:%s, or leave cache.copy out."
              .formatted(BootNames.JACKSON_STARTER));
    }
    return new JsonValues(cache);
  }

  @Override
  public ValueCache make(String cache, CachePlan plan, @Nullable ValueCodec codec) {
    return backends.ofCaches(plan.backend()).cache(cache, plan.settings(), codec);
  }
}
