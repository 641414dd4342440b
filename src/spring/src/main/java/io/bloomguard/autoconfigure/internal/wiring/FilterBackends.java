package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.guard.CacheBackend;
import io.bloomguard.guard.StartRefusedException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The backends that this application can use. */
final class FilterBackends {

  private final NamedBeans<FilterBackend> stores;
  private final NamedBeans<CacheBackend> caches;

  FilterBackends(List<FilterBackend> stores, List<CacheBackend> caches) {
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

  /** What makes the caches there. */
  CacheBackend ofCaches(String place) {
    CacheBackend found = caches.find(place);
    if (found == null && Backend.OURS.contains(place)) {
      throw lacking(place);
    }
    return found == null ? Objects.requireNonNull(caches.find(Backend.LOCAL)) : found;
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
