package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.redis.internal.image.HashScheme;
import java.util.function.Predicate;

/**
 * The place and the hash scheme of a filter's keys, and whether this scheme has still to replace
 * another.
 *
 * @param isUnderstood whether this process can follow a head of another scheme, given its text in
 *     the head
 */
public record SchemeContext(
    KeyHasher hasher, int partitions, boolean arriving, Predicate<String> isUnderstood) {

  public HashScheme scheme() {
    return HashScheme.of(hasher, partitions);
  }
}
