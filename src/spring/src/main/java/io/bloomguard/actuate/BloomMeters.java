package io.bloomguard.actuate;

import static io.bloomguard.actuate.BloomMetricNames.COPIES_WAIT;
import static io.bloomguard.actuate.BloomMetricNames.TAG_FILTER;

import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

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

  /** Registers those that every filter has, and those of what each has; reads no status. */
  @Override
  public void bindTo(MeterRegistry registry) {
    for (FilterReading filter : filters) {
      Figure.ALL.stream()
          .filter(each -> !each.meter().isEmpty() && each.has().test(filter))
          .forEach(each -> bind(registry, filter, each));
      ReplicatedStore copied = filter.copied();
      if (copied != null) {
        FunctionTimer.builder(
                COPIES_WAIT,
                copied,
                store -> store.copyWaits().adds(),
                store -> store.copyWaits().nanos(),
                TimeUnit.NANOSECONDS)
            .description(MeterTable.of(COPIES_WAIT).text())
            .tag(TAG_FILTER, filter.operated().name())
            .register(registry);
      }
    }
  }

  private static void bind(MeterRegistry registry, FilterReading filter, Figure figure) {
    MeterTable row = MeterTable.of(figure.meter());
    Tags tags = figure.tags().and(TAG_FILTER, filter.operated().name());
    ToDoubleFunction<FilterReading> value =
        f -> figure.value().apply(f) instanceof Number number ? number.doubleValue() : Double.NaN;
    if (figure.counts()) {
      FunctionCounter.builder(row.name(), filter, value)
          .description(row.text())
          .tags(tags)
          .register(registry);
    } else {
      Gauge.builder(row.name(), filter, value)
          .description(row.text())
          .baseUnit(row.unit())
          .tags(tags)
          .register(registry);
    }
  }
}
