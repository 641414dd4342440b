package io.bloomguard.redis.internal.migration;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.CanonicalKey;
import io.bloomguard.redis.internal.generation.SchemeContext;
import io.bloomguard.redis.internal.image.HashScheme;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The secrets of a process, and with them the schemes that it can follow. */
public final class SchemeResolver {

  /** This process' own secret first. */
  private final List<HashSecret> secrets;

  public SchemeResolver(List<HashSecret> secrets) {
    this.secrets = List.copyOf(secrets);
  }

  /** Whether this process can follow every scheme in a head's text. */
  public boolean understands(String text) {
    HashScheme.Mark mark = HashScheme.Mark.parse(text);
    return knows(mark.own()) && (mark.relation() == ' ' || knows(mark.other()));
  }

  private boolean knows(String text) {
    HashScheme scheme = HashScheme.parse(text);
    return scheme != null && context(scheme, false) != null;
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
          return new SchemeContext(hasher, scheme.partitions(), arriving, this::understands);
        }
      }
    }
    return null;
  }
}
