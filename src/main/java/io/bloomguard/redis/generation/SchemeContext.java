package io.bloomguard.redis.generation;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.redis.image.HashScheme;
import java.util.function.Predicate;

/**
 * How and where a filter's keys are held: one scheme, and whether it is still to take the place of
 * another.
 *
 * @param isUnderstood whether this process can follow a head of another scheme, given as it stands
 *     there
 */
public record SchemeContext(
    KeyHasher hasher, int partitions, boolean arriving, Predicate<String> isUnderstood) {

  public HashScheme scheme() {
    return HashScheme.of(hasher, partitions);
  }
}
