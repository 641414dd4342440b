package io.bloomguard.filter.internal;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.SipHash;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A keyed 128-bit digest that represents a canonical key in places where the key itself must not be
 * readable, such as the names of Redis keys.
 *
 * <p>Two runs of SipHash-2-4 under separate secrets, derived from the given one, so that a digest
 * reveals nothing about the positions of its key in a filter.
 */
public class KeyDigest {

  /** The hex digits of a digest. */
  public static final int LENGTH = 32;

  private final SipHash first;
  private final SipHash second;

  /**
   * The digest under a secret.
   *
   * @param secret the secret, of which all processes need the same
   */
  public KeyDigest(HashSecret secret) {
    this(
        SipHash.twoFour(secret.derive("bloomguard key digest 1 first")),
        SipHash.twoFour(secret.derive("bloomguard key digest 1 second")));
  }

  private KeyDigest(SipHash first, SipHash second) {
    this.first = first;
    this.second = second;
  }

  /**
   * {@return this digest for one call, which names its keys repeatedly: each key is digested once}
   */
  public final KeyDigest ofCall() {
    return new OfCall(this);
  }

  /**
   * {@return the digest of a canonical key, 32 lower-case hex digits}
   *
   * @param key a canonical key, folded if equal keys share a name
   */
  public String hex(String key) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(first.hash(key)) + hex.toHexDigits(second.hash(key));
  }

  /**
   * {@return the first 64 bits of the digest of a text, for uses that need no more}
   *
   * @param text the text, of any length
   */
  public final long number(String text) {
    return first.hash(text);
  }

  /** The digests of the keys of one call, whose steps may run on several threads. */
  private static final class OfCall extends KeyDigest {

    private final KeyDigest digest;
    private final Map<String, String> known = new ConcurrentHashMap<>();

    OfCall(KeyDigest digest) {
      super(digest.first, digest.second);
      this.digest = digest;
    }

    @Override
    public String hex(String key) {
      return known.computeIfAbsent(key, digest::hex);
    }
  }
}
