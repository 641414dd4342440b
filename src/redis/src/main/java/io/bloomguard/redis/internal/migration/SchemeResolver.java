package io.bloomguard.redis.internal.migration;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.redis.internal.generation.SchemeContext;
import io.bloomguard.redis.internal.image.HashScheme;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The secrets of a process and its folding, and with them the schemes that it can follow. */
public final class SchemeResolver {

  /** This process' own secret first. */
  private final List<HashSecret> secrets;

  private final KeyFolding here;

  public SchemeResolver(List<HashSecret> secrets, KeyFolding here) {
    this.secrets = List.copyOf(secrets);
    this.here = here;
  }

  /** The context of a scheme; null if this process cannot hash under it. */
  @Nullable
  public SchemeContext context(HashScheme scheme, boolean arriving) {
    if (scheme.canonical() != CanonicalKey.VERSION || scheme.partitions() < 1) {
      return null;
    }
    for (HashSecret secret : secrets) {
      for (KeyHash hash : KeyHash.values()) {
        KeyHasher hasher = scheme.folding().over(hash.hasher(secret));
        if (hasher.algorithm().equals(scheme.hash())
            && hasher.secretId().equals(scheme.secretId())) {
          return new SchemeContext(hasher, scheme.partitions(), arriving, here);
        }
      }
    }
    return null;
  }
}
