package io.bloomguard.guard;

import java.time.Duration;

/**
 * How long a value cache keeps what.
 *
 * @param ttl how long values stay
 * @param nullTtl how long null entries stay
 * @param jitter each lifetime is stretched by a random factor of 1 to 1 + jitter, so that entries
 *     written together do not expire together (avalanche)
 * @param maxNullEntries the bound on null entries alive at once
 * @param lease how long a lease is held at most
 */
public record CacheSettings(
    Duration ttl, Duration nullTtl, double jitter, int maxNullEntries, Duration lease) {}
