package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.OperatedFilters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The counters and gauges of all filters, registered at zero with all their tags.
 *
 * <p>The gauges of builds are of all processes that share the filter, the timers, which are {@link
 * BloomTimers}, of the builds of this one.
 */
public final class BloomMeters implements MeterBinder {

  /** Held here because the registry holds what it measures weakly. */
  private final List<FilterReading> filters;

  /**
   * Meters that are not registered yet.
   *
   * @param filters the filters whose meters are registered with each registry
   */
  public BloomMeters(OperatedFilters filters) {
    this(filters, System::nanoTime);
  }

  BloomMeters(OperatedFilters filters, LongSupplier ticker) {
    this.filters = filters.all().stream().map(one -> new FilterReading(one, ticker)).toList();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    filters.forEach(filter -> new FilterMeters(registry, filter).bind());
  }
}
