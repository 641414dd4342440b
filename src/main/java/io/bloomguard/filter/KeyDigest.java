package io.bloomguard.filter;

import java.util.HexFormat;

/**
 * A keyed 128-bit digest that stands for a canonical key where the key itself must not be read, as
 * in the names of Redis keys.
 *
 * <p>Two runs of SipHash-2-4 under secrets of their own, derived from the given one, so that a
 * digest says nothing of the positions of its key in a filter.
 */
public final class KeyDigest {

  private final SipHash first;
  private final SipHash second;

  public KeyDigest(HashSecret secret) {
    this.first = SipHash.twoFour(secret.derive("bloomguard key digest 1 first"));
    this.second = SipHash.twoFour(secret.derive("bloomguard key digest 1 second"));
  }

  /** The digest of a canonical key, 32 lower-case hex digits. */
  public String hex(String key) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(first.hash(key)) + hex.toHexDigits(second.hash(key));
  }

  /** The first 64 bits of the digest of a text, for what needs no more. */
  public long number(String text) {
    return first.hash(text);
  }
}
