package io.bloomguard.console.autoconfigure;

import io.bloomguard.autoconfigure.internal.wiring.ConfiguredFilter;
import io.bloomguard.autoconfigure.internal.wiring.FilterWatch;
import io.bloomguard.console.internal.FilterTraffic;
import io.bloomguard.console.internal.WatchedFilter;
import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.internal.GuardedFilter;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The traffic of every filter, sampled for the console. */
final class ConsoleWatch implements FilterWatch {

  private final Map<String, FilterTraffic> filters = new ConcurrentHashMap<>();
  private final InstantSource clock;

  ConsoleWatch(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public DeniedKeyListener deniedKeys(String filter) {
    return traffic(filter).listener();
  }

  @Override
  public void tick(GuardedFilter filter) {
    traffic(filter.name()).sample(clock.millis(), filter.counters());
  }

  /** A filter with what is remembered of it. */
  WatchedFilter watched(ConfiguredFilter filter) {
    return new WatchedFilter(filter.managed(), filter.guarded().counters(), traffic(filter.name()));
  }

  private FilterTraffic traffic(String filter) {
    return filters.computeIfAbsent(filter, name -> new FilterTraffic(clock.millis()));
  }
}
