package io.bloomguard.actuate;

import io.bloomguard.generation.ManagedFilter;
import io.bloomguard.generation.SubjectFilters;
import io.bloomguard.generation.SubjectTotals;
import io.bloomguard.guard.OutcomeCounters;
import io.bloomguard.guard.Rejection;
import io.bloomguard.guard.UnknownPolicy;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.verify.FilterMode;
import io.bloomguard.guard.verify.Verification;
import io.bloomguard.guard.verify.VerifySettings;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One filter with all that an operator sees of it.
 *
 * @param filter the filter itself
 * @param onUnknown the policy for keys on which it cannot tell
 * @param outcomes how the ways of its keys ended
 * @param cache the value cache of the filter's name, made where it is not there yet
 * @param verification whether it rejects, and the verdicts on its rejections
 * @param rejection which keys it rejects
 */
public record OperatedFilter(
    ManagedFilter filter,
    UnknownPolicy onUnknown,
    OutcomeCounters outcomes,
    Supplier<ValueCache> cache,
    Verification verification,
    Rejection rejection) {

  /** A filter that rejects the keys that it does not hold. */
  public OperatedFilter(
      ManagedFilter filter,
      UnknownPolicy onUnknown,
      OutcomeCounters outcomes,
      Supplier<ValueCache> cache,
      Verification verification) {
    this(filter, onUnknown, outcomes, cache, verification, Rejection.ABSENT);
  }

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

  /** All subjects in sum, where there is a filter for each; else null. */
  @Nullable SubjectTotals subjects() {
    return filter.store() instanceof SubjectFilters subjects ? subjects.totals() : null;
  }

  /** The filter's name. */
  public String name() {
    return filter.name();
  }
}
