package io.bloomguard.guard;

/**
 * The permit to load one key, held by at most one caller among all users of a value cache.
 *
 * @param key the canonical key
 * @param token random, so that only its holder can release or store under it
 */
public record Lease(String key, String token) {}
