package io.bloomguard.redis;

import io.bloomguard.filter.CanonicalKey;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The secrets that a process has, and with them the hashings that it can follow. */
final class Hashers {

  /** This process' own secret first. */
  private final List<HashSecret> secrets;

  Hashers(List<HashSecret> secrets) {
    this.secrets = List.copyOf(secrets);
  }

  /** Whether all that a head names of hashings can be followed, given as it stands there. */
  boolean understands(String text) {
    Hashing.Mark mark = Hashing.Mark.parse(text);
    return knows(mark.own()) && (mark.relation() == ' ' || knows(mark.other()));
  }

  private boolean knows(String text) {
    Hashing hashing = Hashing.parse(text);
    return hashing != null && space(hashing, false) != null;
  }

  /** A space of a hashing; null if this process cannot hash so. */
  @Nullable Space space(Hashing hashing, boolean arriving) {
    if (hashing.canonical() != CanonicalKey.VERSION || hashing.partitions() < 1) {
      return null;
    }
    for (HashSecret secret : secrets) {
      for (KeyHash hash : KeyHash.values()) {
        KeyHasher hasher = hashing.folding().over(hash.hasher(secret));
        if (hasher.algorithm().equals(hashing.hash())
            && hasher.secretId().equals(hashing.secretId())) {
          return new Space(hasher, hashing.partitions(), arriving, this::understands);
        }
      }
    }
    return null;
  }
}
