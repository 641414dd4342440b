package io.bloomguard.bench;

/**
 * A classic system beside our own layout on the same backend.
 *
 * @param name what the table calls it
 * @param callsOfATurn single calls that are timed together
 * @param takesBatches whether many words go in one call
 */
record Contestant(String name, Side theirs, Side ours, int callsOfATurn, boolean takesBatches) {}
