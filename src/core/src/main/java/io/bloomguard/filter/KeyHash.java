package io.bloomguard.filter;

/** The hash functions that a blocked filter can have, all keyed. */
public enum KeyHash {

  /** SipHash with one round a word: the default. */
  SIPHASH_1_3,

  /** SipHash with two rounds a word: its authors' choice, and slower. */
  SIPHASH_2_4;

  /**
   * {@return this hash under {@code secret}}
   *
   * @param secret the secret that keys the hash
   */
  public KeyHasher hasher(HashSecret secret) {
    return switch (this) {
      case SIPHASH_1_3 -> SipHash.oneThree(secret);
      case SIPHASH_2_4 -> SipHash.twoFour(secret);
    };
  }
}
