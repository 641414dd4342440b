package io.bloomguard.filter;

/** The hash functions that a blocked filter can have. */
public enum KeyHash {

  /** SipHash with one round a word, keyed: the default. */
  SIPHASH_1_3,

  /** SipHash with two rounds a word, keyed: its authors' choice, and slower. */
  SIPHASH_2_4,

  /** Unkeyed and faster: only for keys that nobody outside chooses. */
  WYHASH;

  /** This hash, under {@code secret} if it is keyed. */
  public KeyHasher hasher(HashSecret secret) {
    return switch (this) {
      case SIPHASH_1_3 -> SipHash.oneThree(secret);
      case SIPHASH_2_4 -> SipHash.twoFour(secret);
      case WYHASH -> WyHash.INSTANCE;
    };
  }
}
