package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.autoconfigure.internal.properties.StoreKind;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.guard.CacheBackend;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The backends that this application can use. */
final class FilterBackends {

  private final Map<String, FilterBackend> stores = new TreeMap<>();
  private final Map<String, CacheBackend> caches = new TreeMap<>();

  FilterBackends(List<FilterBackend> stores, List<CacheBackend> caches) {
    stores.forEach(backend -> add(this.stores, backend.name(), backend));
    caches.forEach(backend -> add(this.caches, backend.name(), backend));
  }

  static <T> void add(Map<String, T> backends, String name, T backend) {
    T twin = backends.put(name, backend);
    if (twin != null) {
      throw new InvalidBloomguardSettingException(
          "Two beans are the backend '"
              + name
              + "': "
              + twin.getClass().getName()
              + " and "
              + backend.getClass().getName(),
          "Give one of them another name.");
    }
  }

  /**
   * What makes the store of that filter.
   *
   * @param kind null for a backend that is not ours
   */
  FilterBackend ofStore(String filter, String backend, @Nullable StoreKind kind) {
    if (kind == null) {
      requireKnown(
          "bloomguard.filters." + filter + ".backend", backend, EnumSet.noneOf(Backend.class));
      return Objects.requireNonNull(stores.get(backend));
    }
    FilterBackend found = stores.get(kind.maker());
    if (found != null) {
      return found;
    }
    if (kind.classic() == null || !caches.containsKey(Backend.ofCaches(backend))) {
      throw lacking(backend);
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
  CacheBackend ofCaches(String place) {
    String own = Backend.of(place) == Backend.OTHER ? Backend.LOCAL.toString() : place;
    CacheBackend found = caches.getOrDefault(place, caches.get(own));
    if (found == null) {
      throw lacking(place);
    }
    return found;
  }

  /** Refuses a default that is neither ours nor the name of a bean. */
  void requireKnownDefault(String backend) {
    requireKnown(
        "bloomguard.backend", backend, EnumSet.of(Backend.REDIS_BLOOM, Backend.REDIS_BITMAP));
  }

  private void requireKnown(String property, String backend, Set<Backend> excluded) {
    Set<String> known = new LinkedHashSet<>();
    Set<String> others = new TreeSet<>(stores.keySet());
    for (StoreKind kind : StoreKind.values()) {
      others.remove(kind.maker());
      if (!excluded.contains(kind.backend())) {
        known.add(kind.backend().toString());
      }
    }
    known.addAll(others);
    if (Backend.of(backend) == Backend.OTHER && !known.contains(backend)) {
      throw new InvalidBloomguardSettingException(
          property + " is '" + backend + "', but must be one of " + known,
          "Set it to one of them, or add a bean of the type "
              + FilterBackend.class.getName()
              + " with that name.");
    }
  }

  private InvalidBloomguardSettingException lacking(String backend) {
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
