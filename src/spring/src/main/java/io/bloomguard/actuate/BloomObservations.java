package io.bloomguard.actuate;

import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.internal.build.RebuildListener;
import io.bloomguard.guard.internal.GuardListener;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Observations of loads and builds, so that traces show them with all that they do.
 *
 * <p>They carry names and outcomes, never a key; what the loader or the source throws may quote one
 * and stays out of them. Their time is in {@link BloomTimers}' meters, so that they make none.
 */
public final class BloomObservations {

  /** The conventions without a bean of the application's. */
  private static final LoadObservationConvention LOADS = new LoadObservationConvention() {};

  private static final RebuildObservationConvention REBUILDS =
      new RebuildObservationConvention() {};

  private final ObservationRegistry registry;
  private final @Nullable LoadObservationConvention loads;
  private final @Nullable RebuildObservationConvention rebuilds;

  /**
   * Observations that a registry gets, named by conventions.
   *
   * @param registry the registry of the observations
   * @param loads the application's own convention, null for none: then the registry's or ours
   * @param rebuilds likewise
   */
  public BloomObservations(
      ObservationRegistry registry,
      @Nullable LoadObservationConvention loads,
      @Nullable RebuildObservationConvention rebuilds) {
    this.registry = registry;
    this.loads = loads;
    this.rebuilds = rebuilds;
  }

  /**
   * {@return a listener that observes the loads of {@code filter} and tells {@code listener} of
   * each}
   *
   * @param filter the filter's name, the tag of its observations
   * @param listener the listener that the guard would have without observations
   */
  public GuardListener around(String filter, GuardListener listener) {
    GuardListener refreshes = listener.ofRefreshes();
    return new GuardListener() {
      @Override
      public LoadListener onLoad() {
        LoadObservationContext context = new LoadObservationContext(filter);
        return new ObservedLoad(start(loads, LOADS, context), listener.onLoad());
      }

      @Override
      public void onMutexWait(MutexResult result, long nanos) {
        listener.onMutexWait(result, nanos);
      }

      @Override
      public GuardListener ofRefreshes() {
        return refreshes == listener ? this : around(filter, refreshes);
      }
    };
  }

  /**
   * {@return a listener that observes the builds of {@code filter} and tells {@code listener} of
   * each}
   *
   * @param filter the filter's name, the tag of its observations
   * @param listener the listener that the filter would have without observations
   */
  public RebuildListener around(String filter, RebuildListener listener) {
    Map<String, Running> running = new ConcurrentHashMap<>();
    return new RebuildListener() {
      @Override
      public void onStart(String run, RebuildTrigger trigger) {
        listener.onStart(run, trigger);
        RebuildObservationContext context =
            new RebuildObservationContext(filter, run, lowerCase(trigger));
        running.put(run, start(rebuilds, REBUILDS, context));
      }

      @Override
      public Reading onReading(String run) {
        Reading told = listener.onReading(run);
        Running build = running.get(run);
        if (build == null) {
          return told;
        }
        Observation.Scope scope = build.observation.openScope();
        return () -> {
          scope.close();
          told.close();
        };
      }

      @Override
      public void onEnd(RebuildReport report) {
        Running ended = running.remove(report.run());
        if (ended != null) {
          ended.scope.close();
          ended.stop(lowerCase(report.outcome()), report.outcome() == RebuildOutcome.FAILED);
        }
        listener.onEnd(report);
      }
    };
  }

  /**
   * {@return the handler that takes the place of the one that would make meters of these
   * observations}
   */
  public static MeterObservationHandler<?> unmetered() {
    return new Unmetered();
  }

  private <C extends FilterObservationContext> Running start(
      @Nullable ObservationConvention<C> own, ObservationConvention<C> usual, C context) {
    Observation observation = Observation.createNotStarted(own, usual, () -> context, registry);
    observation.start();
    return new Running(observation, observation.openScope(), context);
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Something under way.
   *
   * @param scope what begins within it on this thread belongs to the observation
   * @param context gets the outcome, which the convention reads when the observation stops
   */
  private record Running(
      Observation observation, Observation.Scope scope, FilterObservationContext context) {

    void stop(String result, boolean failed) {
      context.end(result);
      if (failed) {
        observation.error(Failed.INSTANCE);
      }
      observation.stop();
    }
  }

  private record ObservedLoad(Running running, GuardListener.LoadListener listener)
      implements GuardListener.LoadListener {

    @Override
    public void onReturn() {
      running.scope.close();
      listener.onReturn();
    }

    @Override
    public void onEnd(GuardListener.LoadResult result, long nanos) {
      running.stop(lowerCase(result), result == GuardListener.LoadResult.ERROR);
      listener.onEnd(result, nanos);
    }
  }

  private static final class Unmetered implements MeterObservationHandler<Observation.Context> {

    @Override
    public boolean supportsContext(Observation.Context context) {
      return context instanceof FilterObservationContext;
    }
  }

  /** Marks an observation as failed and says no more. */
  private static final class Failed extends RuntimeException {

    static final Failed INSTANCE = new Failed();

    private Failed() {
      super("It failed: see the log", null, false, false);
    }
  }
}
