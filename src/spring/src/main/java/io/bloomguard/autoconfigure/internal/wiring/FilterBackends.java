package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.Backend;
import io.bloomguard.autoconfigure.internal.properties.InvalidBloomguardSettingException;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.guard.CacheBackend;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
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
   * @param classic the setting that chooses a store of bloomguard-classic; null for none
   */
  FilterBackend ofStore(String filter, String backend, @Nullable String classic) {
    FilterBackend found = stores.get(classic == null ? backend : backend + ", " + classic);
    if (found != null) {
      return found;
    }
    requireKnown("bloomguard.filters." + filter + ".backend", backend, Backend.OURS);
    if (classic == null || !caches.containsKey(Backend.ofCaches(backend))) {
      throw lacking(backend);
    }
    throw new InvalidBloomguardSettingException(
        "Filter '"
            + filter
            + "' has bloomguard.filters."
            + filter
            + "."
            + classic
            + ", which bloomguard-classic brings",
        "Add the dependency io.bloomguard:bloomguard-classic.");
  }

  /** What makes the caches there. */
  CacheBackend ofCaches(String place) {
    CacheBackend found = caches.get(place);
    if (found == null && Backend.OURS.contains(place)) {
      throw lacking(place);
    }
    return found == null ? Objects.requireNonNull(caches.get(Backend.LOCAL)) : found;
  }

  /**
   * Refuses a name that is neither ours nor that of a bean.
   *
   * @param ours those of ours that it may be
   */
  void requireKnown(String property, String backend, List<String> ours) {
    Set<String> known = new LinkedHashSet<>(ours);
    stores.keySet().stream().filter(name -> !name.contains(", ")).forEach(known::add);
    if (!known.contains(backend)) {
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
