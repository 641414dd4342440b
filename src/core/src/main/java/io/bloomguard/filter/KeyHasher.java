package io.bloomguard.filter;

/**
 * A 64-bit hash of a canonical key's UTF-8 bytes.
 *
 * <p>Instances are immutable and may be shared by threads. {@code hash(42L)} equals {@code
 * hash("42")}.
 */
public interface KeyHasher {

  /** {@return the name that goes into the fingerprint, such as {@code siphash-1-3}} */
  String algorithm();

  /** {@return a public identifier of the secret, never the secret; empty for a hash without one} */
  String secretId();

  /** {@return the folding by which equal keys have equal hashes} */
  default KeyFolding folding() {
    return KeyFolding.EXACT;
  }

  /**
   * {@return the hash of a canonical key}
   *
   * @param key a canonical key
   */
  long hash(String key);

  /**
   * {@return the hash of a number's decimal form, without building the string}
   *
   * @param key a number
   */
  long hash(long key);
}
