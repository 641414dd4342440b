package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.redis.internal.image.HashScheme;

/**
 * The place and the hash scheme of a filter's keys, and whether this scheme has still to replace
 * another.
 *
 * @param here the folding of keys in this process
 */
public record SchemeContext(KeyHasher hasher, int partitions, boolean arriving, KeyFolding here) {

  public HashScheme scheme() {
    return HashScheme.of(hasher, partitions);
  }

  /**
   * Why absences under this scheme are unknown here; empty if they are not. A key may be absent
   * there that equals a present one here.
   */
  String doubt() {
    return hasher.folding().covers(here)
        ? ""
        : "Its keys are folded as "
            + hasher.folding().text()
            + " in Redis and as "
            + here.text()
            + " here, so that what is not in it is unknown until a rebuild of this process";
  }
}
