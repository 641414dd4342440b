package io.bloomguard.guard;

import io.bloomguard.guard.internal.cache.LocalValueCache;

class LocalJoinedFlightsTest extends JoinedFlightsContractTest {

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return new LocalValueCache(settings, null);
  }
}
