package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.guard.CacheBackend;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.ValueCodec;
import io.bloomguard.guard.internal.cache.CachePlan;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.json.internal.JsonValues;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The backends that this application can use: a cache lives where its filter lives. */
final class FilterBackends implements ValueCaches {

  private final BloomguardProperties properties;
  private final NamedBeans<FilterBackend> stores;
  private final NamedBeans<CacheBackend> caches;

  FilterBackends(
      BloomguardProperties properties, List<FilterBackend> stores, List<CacheBackend> caches) {
    this.properties = properties;
    this.stores = new NamedBeans<>(FilterBackend.class, stores, FilterBackend::name);
    this.caches = new NamedBeans<>(CacheBackend.class, caches, CacheBackend::name);
  }

  /** Refuses a place of all filters that is neither ours nor that of a bean. */
  void requireKnown(String backend) {
    stores.requireKnown("bloomguard.backend", backend, List.of(Backend.LOCAL, Backend.REDIS));
  }

  /**
   * What makes the store of that filter.
   *
   * @param classic the setting that chooses a store of bloomguard-classic; null for none
   */
  FilterBackend ofStore(String filter, String backend, @Nullable String classic) {
    FilterBackend found = stores.find(classic == null ? backend : backend + ", " + classic);
    if (found != null) {
      return found;
    }
    stores.requireKnown("bloomguard.filters." + filter + ".backend", backend, Backend.OURS);
    if (classic == null || caches.find(Backend.ofCaches(backend)) == null) {
      throw lacking(backend);
    }
    throw new StartRefusedException(
        "Filter '%s' has bloomguard.filters.%s.%s, which bloomguard-classic brings"
            .formatted(filter, filter, classic),
        "Add the dependency io.bloomguard:bloomguard-classic.");
  }

  private CacheBackend ofCaches(String place) {
    CacheBackend found = caches.find(place);
    if (found == null && Backend.OURS.contains(place)) {
      throw lacking(place);
    }
    return found == null ? Objects.requireNonNull(caches.find(Backend.LOCAL)) : found;
  }

  @Override
  public CachePlan plan(String filter) {
    return properties.cachePlan(filter);
  }

  /** Where the backend needs bytes, Jackson is there; for copies the application may lack it. */
  @Override
  public @Nullable ValueCodec codec(String cache, CachePlan plan) {
    if (!plan.copy() && ofCaches(plan.backend()) instanceof LocalBackend) {
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
    return ofCaches(plan.backend()).cache(cache, plan.settings(), codec);
  }

  private StartRefusedException lacking(String backend) {
    return new StartRefusedException(
        ("The backend '%s' is configured, but this application lacks a Redis connection factory,"
                + " the Lettuce driver or %s; available: %s")
            .formatted(backend, BootNames.JACKSON, caches.names()),
        ("Add org.springframework.boot:spring-boot-starter-data-redis and %s and set"
                + " spring.data.redis.host, or use backend 'local'. Beside another driver's"
                + " starter, such as Redisson's, add io.lettuce:lettuce-core.")
            .formatted(BootNames.JACKSON_STARTER));
  }
}
