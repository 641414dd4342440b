package io.bloomguard.autoconfigure;

import io.bloomguard.console.OutcomeHistory;
import io.bloomguard.console.PrefixSketch;
import io.bloomguard.console.WatchedFilter;
import io.bloomguard.guard.DeniedKeyListener;
import io.bloomguard.guard.GuardedFilter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Remembers for the console what the filters did in the last minutes. */
final class ConsoleWatch implements FilterWatch {

  /** After as long, what a sketch has counted counts half. */
  private static final Duration HALF_LIFE = Duration.ofMinutes(1);

  private final Map<String, Watched> filters = new ConcurrentHashMap<>();
  private final InstantSource clock;

  ConsoleWatch(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public DeniedKeyListener deniedKeys(String filter) {
    return watched(filter).denied;
  }

  @Override
  public void tick(GuardedFilter filter) {
    watched(filter.name()).tick(clock.millis(), filter);
  }

  /** A filter with what is remembered of it. */
  WatchedFilter watched(ConfiguredFilter filter) {
    Watched watched = watched(filter.name());
    return new WatchedFilter(
        filter.managed(), filter.guarded().counters(), watched.history, watched.denied);
  }

  private Watched watched(String filter) {
    return filters.computeIfAbsent(filter, name -> new Watched(clock.millis()));
  }

  private static final class Watched {

    private final OutcomeHistory history = new OutcomeHistory();
    private final PrefixSketch denied = new PrefixSketch();
    private long aged;

    Watched(long now) {
      aged = now;
    }

    /** By one thread at a time. */
    void tick(long now, GuardedFilter filter) {
      history.sample(now, filter.counters());
      if (now - aged >= HALF_LIFE.toMillis()) {
        aged = now;
        denied.age();
      }
    }
  }
}
