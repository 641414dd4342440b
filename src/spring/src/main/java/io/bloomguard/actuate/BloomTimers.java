package io.bloomguard.actuate;

import static java.util.Objects.requireNonNull;

import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.guard.internal.GuardListener;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Feeds the timers of loads, waits and builds. Each is registered as its listener is made. */
public final class BloomTimers {

  private final MeterRegistry registry;

  /**
   * Timers without a filter yet.
   *
   * @param registry the registry of all timers made here
   */
  public BloomTimers(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * {@return a listener that times the loads and waits of {@code filter}}
   *
   * @param filter the filter's name, the tag of its timers
   */
  public GuardListener guardListener(String filter) {
    Map<GuardListener.MutexResult, Timer> waits =
        timers(BloomMetricNames.MUTEX_WAIT, filter, GuardListener.MutexResult.class);
    Map<GuardListener.LoadResult, Timer> loads =
        timers(BloomMetricNames.LOAD, filter, GuardListener.LoadResult.class);
    Map<GuardListener.LoadResult, Timer> refreshes =
        timers(BloomMetricNames.REFRESH, filter, GuardListener.LoadResult.class);
    return new Timed(loads, waits, new Timed(refreshes, waits, null));
  }

  /**
   * The listener to each load of a filter.
   *
   * @param refreshes the listener to refreshes; null if it is this one
   */
  private record Timed(
      Map<GuardListener.LoadResult, Timer> loads,
      Map<GuardListener.MutexResult, Timer> waits,
      @Nullable Timed refreshes)
      implements GuardListener, GuardListener.LoadListener {

    @Override
    public LoadListener onLoad() {
      return this;
    }

    @Override
    public void onEnd(LoadResult result, long nanos) {
      requireNonNull(loads.get(result)).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void onMutexWait(MutexResult result, long nanos) {
      requireNonNull(waits.get(result)).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public GuardListener ofRefreshes() {
      return refreshes == null ? this : refreshes;
    }
  }

  /**
   * {@return a listener that times the builds of {@code filter}}
   *
   * @param filter the filter's name, the tag of its timers
   */
  public RebuildListener rebuildListener(String filter) {
    Timer ended = timer(BloomMetricNames.REBUILD, filter, Tags.empty());
    LongTaskTimer active =
        LongTaskTimer.builder(BloomMetricNames.REBUILD_ACTIVE)
            .description(MeterTable.of(BloomMetricNames.REBUILD_ACTIVE).text())
            .tag(BloomMetricNames.TAG_FILTER, filter)
            .register(registry);
    Map<String, LongTaskTimer.Sample> running = new ConcurrentHashMap<>();
    return new RebuildListener() {
      @Override
      public void onStart(String run, RebuildTrigger trigger) {
        running.put(run, active.start());
      }

      @Override
      public void onEnd(RebuildReport report) {
        LongTaskTimer.Sample sample = running.remove(report.run());
        if (sample != null) {
          sample.stop();
        }
        ended.record(report.duration());
      }
    };
  }

  /** One timer for each outcome. */
  private <E extends Enum<E>> Map<E, Timer> timers(String name, String filter, Class<E> outcomes) {
    Map<E, Timer> timers = new EnumMap<>(outcomes);
    for (E outcome : outcomes.getEnumConstants()) {
      String tag = outcome.name().toLowerCase(Locale.ROOT);
      timers.put(outcome, timer(name, filter, Tags.of(BloomMetricNames.TAG_OUTCOME, tag)));
    }
    return timers;
  }

  private Timer timer(String name, String filter, Tags more) {
    return Timer.builder(name)
        .description(MeterTable.of(name).text())
        .tags(more.and(BloomMetricNames.TAG_FILTER, filter))
        .register(registry);
  }
}
