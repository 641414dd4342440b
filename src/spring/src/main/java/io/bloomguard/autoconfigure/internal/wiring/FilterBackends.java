package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.internal.properties.StoreKind;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The backends that this application can use. */
final class FilterBackends {

  private final Map<StoreKind, FilterBackend> stores = new EnumMap<>(StoreKind.class);
  private final Map<Backend, CacheBackend> caches = new EnumMap<>(Backend.class);

  FilterBackends(List<FilterBackend> stores, List<CacheBackend> caches) {
    stores.forEach(backend -> this.stores.put(backend.kind(), backend));
    caches.forEach(backend -> this.caches.put(backend.place(), backend));
  }

  /** What makes the store of that filter. */
  FilterBackend ofStore(String filter, StoreKind kind) {
    FilterBackend found = stores.get(kind);
    if (found != null) {
      return found;
    }
    if (kind.classic() == null || !caches.containsKey(kind.backend().ofCaches())) {
      throw lacking(kind.backend());
    }
    throw new InvalidBloomguardSettingException(
        "Filter '"
            + filter
            + "' has bloomguard.filters."
            + filter
            + "."
            + kind.classic()
            + ", which bloomguard-classic brings",
        "Add the dependency io.bloomguard:bloomguard-classic.");
  }

  /** What makes the caches there. */
  CacheBackend ofCaches(Backend place) {
    CacheBackend found = caches.get(place);
    if (found == null) {
      throw lacking(place);
    }
    return found;
  }

  private InvalidBloomguardSettingException lacking(Backend backend) {
    return new InvalidBloomguardSettingException(
        "The backend '"
            + backend
            + "' is configured, but this application lacks a Redis connection factory, the Lettuce"
            + " driver or "
            + BootNames.JACKSON
            + "; available: "
            + caches.keySet(),
        "Add org.springframework.boot:spring-boot-starter-data-redis and "
            + BootNames.JACKSON_STARTER
            + " and set spring.data.redis.host, or use backend"
            + " 'local'. Beside another driver's starter, such as Redisson's, add"
            + " io.lettuce:lettuce-core.");
  }
}
