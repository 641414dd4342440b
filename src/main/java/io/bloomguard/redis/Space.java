package io.bloomguard.redis;

import io.bloomguard.filter.KeyHasher;
import java.util.function.Predicate;

/**
 * How and where a filter's keys are held: one hashing, and whether it is still to take the place of
 * another.
 *
 * @param secret keys the hash; every node that shares the filter must have the same
 * @param isUnderstood whether this process can follow a head of another hashing, given as it stands
 *     there
 */
record Space(
    KeyHasher hasher,
    RedisSecret secret,
    int partitions,
    boolean arriving,
    Predicate<String> isUnderstood) {

  Hashing hashing() {
    return Hashing.of(hasher, partitions);
  }
}
