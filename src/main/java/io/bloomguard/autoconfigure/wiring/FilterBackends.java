package io.bloomguard.autoconfigure.wiring;

import io.bloomguard.autoconfigure.properties.Backend;
import io.bloomguard.autoconfigure.properties.InvalidBloomguardSettingException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The backends that this application can use. */
final class FilterBackends {

  private final Map<Backend, FilterBackend> backends = new EnumMap<>(Backend.class);

  FilterBackends(List<FilterBackend> backends) {
    backends.forEach(backend -> this.backends.put(backend.backend(), backend));
  }

  FilterBackend get(Backend backend) {
    FilterBackend found = backends.get(backend);
    if (found == null) {
      throw new InvalidBloomguardSettingException(
          "The backend '"
              + backend
              + "' is configured, but this application lacks a Redis connection factory, the Lettuce"
              + " driver or "
              + BootNames.JACKSON
              + "; available: "
              + backends.keySet(),
          "Add org.springframework.boot:spring-boot-starter-data-redis and "
              + BootNames.JACKSON_STARTER
              + " and set spring.data.redis.host, or use backend"
              + " 'local'. Beside another driver's starter, such as Redisson's, add"
              + " io.lettuce:lettuce-core.");
    }
    return found;
  }
}
