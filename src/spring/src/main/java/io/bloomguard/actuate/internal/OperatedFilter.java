package io.bloomguard.actuate.internal;

import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.ValueCache;
import io.bloomguard.guard.internal.GuardedFilter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One filter from both its sides, as an operator sees it.
 *
 * @param filter how it is filled
 * @param guarded how it is asked
 * @param cache the value cache of the filter's name, made where it is not there yet
 */
public record OperatedFilter(
    ManagedFilter filter, GuardedFilter guarded, Supplier<ValueCache> cache) {

  /** All subjects in sum, where there is a filter for each; else null. */
  public @Nullable SubjectTotals subjects() {
    return filter.store() instanceof SubjectFilters subjects ? subjects.totals() : null;
  }

  /** {@return the filter's name} */
  public String name() {
    return filter.name();
  }
}
