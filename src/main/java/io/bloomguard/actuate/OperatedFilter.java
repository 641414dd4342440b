package io.bloomguard.actuate;

import io.bloomguard.generation.ManagedFilter;
import io.bloomguard.guard.OutcomeCounters;
import io.bloomguard.guard.UnknownPolicy;
import io.bloomguard.guard.ValueCache;

/**
 * One filter with all that an operator sees of it.
 *
 * @param filter the filter itself
 * @param onUnknown what happens to keys it cannot tell anything about
 * @param outcomes how the ways of its keys ended
 * @param cache the value cache of the filter's name
 */
public record OperatedFilter(
    ManagedFilter filter, UnknownPolicy onUnknown, OutcomeCounters outcomes, ValueCache cache) {

  /** The filter's name. */
  public String name() {
    return filter.name();
  }
}
