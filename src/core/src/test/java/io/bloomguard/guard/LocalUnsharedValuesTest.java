package io.bloomguard.guard;

import io.bloomguard.guard.internal.cache.LocalValueCache;

class LocalUnsharedValuesTest extends UnsharedValuesContractTest {

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return new LocalValueCache(settings, null);
  }
}
