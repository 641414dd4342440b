package io.bloomguard.guard;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

class LocalRefreshTest extends RefreshContractTest {

  private final AtomicLong ticks = new AtomicLong();

  @Override
  protected ValueCache newCache(CacheSettings settings) {
    return new LocalValueCache(settings, ticks::get);
  }

  @Override
  protected void pass(Duration time) {
    ticks.addAndGet(time.toNanos());
  }
}
