package io.bloomguard.guard;

class LocalJoinedFlightsTest extends JoinedFlightsContractTest {

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return new LocalValueCache(settings);
  }
}
