package io.bloomguard.filter;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The 16 secret bytes that key a hash, so that an attacker cannot choose keys that collide.
 *
 * <p>Only {@link #toHex} reveals them; {@link #toString} and {@link #id} are safe to log.
 */
public final class HashSecret {

  /** The size of a secret in bytes. */
  public static final int BYTES = 16;

  private final byte[] bytes;

  private HashSecret(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Reads a secret from 32 hex digits or from the base64 form of 16 bytes.
   *
   * @param text hex digits of either case, or base64
   * @return the secret
   * @throws IllegalArgumentException for anything else; the message does not repeat the text
   */
  public static HashSecret parse(String text) {
    byte[] bytes = decode(text);
    if (bytes == null || bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "A hash secret must be 16 bytes, written as 32 hex digits or as base64; this text has "
              + text.length()
              + " characters"
              + (bytes == null ? "" : " and " + bytes.length + " bytes"));
    }
    return new HashSecret(bytes);
  }

  /** {@return a new secret from the platform's strong random source} */
  public static HashSecret random() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return new HashSecret(bytes);
  }

  /** {@return the secret itself as 32 lower-case hex digits} */
  public String toHex() {
    return HexFormat.of().formatHex(bytes);
  }

  /** {@return a public identifier of this secret, 8 hex digits, which does not reveal it} */
  public String id() {
    return HexFormat.of().formatHex(digest("bloomguard secret id 1"), 0, 4);
  }

  /** The first eight bytes, little-endian, as SipHash reads its key. */
  long low() {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
  }

  /** The last eight bytes, little-endian. */
  long high() {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(8);
  }

  /**
   * {@return another secret for another purpose, which does not reveal this one}
   *
   * @param purpose a text that no other purpose has
   */
  public HashSecret derive(String purpose) {
    byte[] derived = new byte[BYTES];
    System.arraycopy(digest(purpose), 0, derived, 0, BYTES);
    return new HashSecret(derived);
  }

  private byte[] digest(String purpose) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update(purpose.getBytes(StandardCharsets.UTF_8));
      sha256.update((byte) 0);
      return sha256.digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  private static byte @Nullable [] decode(String text) {
    try {
      return text.length() == 2 * BYTES
          ? HexFormat.of().parseHex(text)
          : Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof HashSecret that && MessageDigest.isEqual(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return id().hashCode();
  }

  @Override
  public String toString() {
    return "HashSecret[" + id() + "]";
  }
}
