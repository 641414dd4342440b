package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.redis.internal.image.HashScheme;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place and the hash scheme of a filter's keys, and whether this scheme has still to replace
 * another.
 *
 * @param here the folding of keys in this process
 */
public record SchemeContext(KeyHasher hasher, int partitions, boolean arriving, KeyFolding here) {

  /**
   * The context of a scheme; null if this process cannot hash under it.
   *
   * @param secrets those of this process, its own first
   */
  public static @Nullable SchemeContext of(
      List<HashSecret> secrets, KeyFolding here, HashScheme scheme, boolean arriving) {
    if (scheme.canonical() != CanonicalKey.VERSION || scheme.partitions() < 1) {
      return null;
    }
    for (HashSecret secret : secrets) {
      for (KeyHash hash : KeyHash.values()) {
        KeyHasher hasher = scheme.folding().over(hash.hasher(secret));
        if (HashScheme.of(hasher, scheme.partitions()).equals(scheme)) {
          return new SchemeContext(hasher, scheme.partitions(), arriving, here);
        }
      }
    }
    return null;
  }

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
