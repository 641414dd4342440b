package io.bloomguard.console;

import io.bloomguard.generation.ManagedFilter;
import io.bloomguard.guard.OutcomeCounters;

/**
 * One filter with what the console remembers of its traffic.
 *
 * @param filter the filter itself
 * @param outcomes how the ways of its keys ended, since the start
 * @param history the same over the last minutes
 * @param denied how the keys begin that it denied
 */
public record WatchedFilter(
    ManagedFilter filter, OutcomeCounters outcomes, OutcomeHistory history, PrefixSketch denied) {}
