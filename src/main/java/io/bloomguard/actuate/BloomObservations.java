package io.bloomguard.actuate;

import io.bloomguard.generation.RebuildListener;
import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.guard.GuardListener;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Observations of loads and builds, so that traces show them with all that they do.
 *
 * <p>They carry names and outcomes, never a key; what the loader or the source throws may quote one
 * and stays out of them. Their time is in {@link BloomTimers}' meters, so that they make none.
 */
public final class BloomObservations {

  private static final String TAG_TRIGGER = "trigger";
  private static final String TAG_RUN = "run";

  private final ObservationRegistry registry;

  public BloomObservations(ObservationRegistry registry) {
    this.registry = registry;
  }

  /** Observes the loads of {@code filter}, which {@code listener} gets as well. */
  public GuardListener around(String filter, GuardListener listener) {
    GuardListener refreshes = listener.ofRefreshes();
    return new GuardListener() {
      @Override
      public LoadListener onLoad() {
        return new ObservedLoad(
            start(BloomMetricNames.LOAD, "load " + filter, filter), listener.onLoad());
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

  /** Observes the builds of {@code filter}, which {@code listener} gets as well. */
  public RebuildListener around(String filter, RebuildListener listener) {
    Map<String, Running> running = new ConcurrentHashMap<>();
    return new RebuildListener() {
      @Override
      public void onStart(String run, RebuildTrigger trigger) {
        listener.onStart(run, trigger);
        Running started = start(BloomMetricNames.REBUILD, "rebuild " + filter, filter);
        started.observation.lowCardinalityKeyValue(TAG_TRIGGER, lowerCase(trigger));
        started.observation.highCardinalityKeyValue(TAG_RUN, run);
        running.put(run, started);
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

  /** Takes the place of the handler that would make meters of these observations. */
  public static MeterObservationHandler<?> unmetered() {
    return new Unmetered();
  }

  private Running start(String name, String span, String filter) {
    Observation observation =
        Observation.createNotStarted(name, Context::new, registry)
            .contextualName(span)
            .lowCardinalityKeyValue(BloomMetricNames.TAG_FILTER, filter)
            .start();
    return new Running(observation, observation.openScope());
  }

  private static String lowerCase(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Something under way.
   *
   * @param scope what begins within it on this thread belongs to the observation
   */
  private record Running(Observation observation, Observation.Scope scope) {

    void stop(String outcome, boolean failed) {
      observation.lowCardinalityKeyValue(BloomMetricNames.TAG_OUTCOME, outcome);
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

  /** By its type the observations of this class are known. */
  private static final class Context extends Observation.Context {}

  private static final class Unmetered implements MeterObservationHandler<Context> {

    @Override
    public boolean supportsContext(Observation.Context context) {
      return context instanceof Context;
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
