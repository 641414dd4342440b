package io.bloomguard.console.internal;

import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.guard.internal.OutcomeCounters;

/**
 * One filter with the traffic that the console remembers.
 *
 * @param filter the filter itself
 * @param outcomes the outcomes of its keys, since the start
 * @param traffic the traffic of the last minutes
 */
public record WatchedFilter(
    ManagedFilter filter, OutcomeCounters outcomes, FilterTraffic traffic) {}
