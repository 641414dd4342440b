package io.bloomguard.it.attacks.node;

import java.util.function.Supplier;
import org.springframework.cache.annotation.Cacheable;

/** Things behind Spring's own cache. */
public class CachedThings {

  @Cacheable(cacheNames = "things", cacheManager = "cacheManager", key = "#key", sync = true)
  public String find(String key, Supplier<String> load) {
    return load.get();
  }

  @Cacheable(
      cacheNames = "locked-things",
      cacheManager = "lockingCacheManager",
      key = "#key",
      sync = true)
  public String findLocked(String key, Supplier<String> load) {
    return load.get();
  }
}
