package io.bloomguard.console;

import io.bloomguard.generation.ManagedFilter;
import io.bloomguard.guard.OutcomeCounters;

/**
 * One filter with what the console remembers of its traffic.
 *
 * @param filter the filter itself
 * @param outcomes how the ways of its keys ended, since the start
 * @param traffic what came up in the last minutes
 */
public record WatchedFilter(
    ManagedFilter filter, OutcomeCounters outcomes, FilterTraffic traffic) {}
