package io.bloomguard.guard;

class LocalUnsharedValuesTest extends UnsharedValuesContractTest {

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return new LocalValueCache(settings);
  }
}
