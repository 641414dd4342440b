package io.bloomguard.filter;

/**
 * A hash that is the same for all keys that a {@link KeyFolding} holds equal.
 *
 * @param hasher hashes the folded key
 */
record FoldingHasher(KeyHasher hasher, KeyFolding folding) implements KeyHasher {

  @Override
  public String algorithm() {
    return hasher.algorithm();
  }

  @Override
  public String secretId() {
    return hasher.secretId();
  }

  @Override
  public long hash(String key) {
    return hasher.hash(folding.widest(key));
  }

  /** The decimal form is its own fold. */
  @Override
  public long hash(long key) {
    return hasher.hash(key);
  }
}
