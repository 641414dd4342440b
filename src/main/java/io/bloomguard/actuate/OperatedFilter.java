package io.bloomguard.actuate;

import io.bloomguard.generation.ManagedFilter;
import io.bloomguard.guard.OutcomeCounters;
import io.bloomguard.guard.UnknownPolicy;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.verify.FilterMode;
import io.bloomguard.guard.verify.Verification;
import io.bloomguard.guard.verify.VerifySettings;
import java.util.function.Supplier;

/**
 * One filter with all that an operator sees of it.
 *
 * @param filter the filter itself
 * @param onUnknown what happens to keys it cannot tell anything about
 * @param outcomes how the ways of its keys ended
 * @param cache the value cache of the filter's name, made where it is not there yet
 * @param verification whether it rejects, and the verdicts on its rejections
 */
public record OperatedFilter(
    ManagedFilter filter,
    UnknownPolicy onUnknown,
    OutcomeCounters outcomes,
    Supplier<ValueCache> cache,
    Verification verification) {

  /** A filter whose rejections are not verified. */
  public OperatedFilter(
      ManagedFilter filter,
      UnknownPolicy onUnknown,
      OutcomeCounters outcomes,
      Supplier<ValueCache> cache) {
    this(
        filter,
        onUnknown,
        outcomes,
        cache,
        new Verification(
            filter.name(),
            filter.store(),
            filter.store().enforcement(),
            FilterMode.ENFORCE,
            VerifySettings.OFF,
            filter.arrivals()));
  }

  /** The filter's name. */
  public String name() {
    return filter.name();
  }
}
