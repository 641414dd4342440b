package io.bloomguard.filter.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digests by which the form of data and the names of keys are told apart. */
public final class Sha256 {

  private Sha256() {}

  /** {@return a digest that nothing was fed to} */
  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /** {@return the 32 bytes of the digest of a text's UTF-8} */
  public static byte[] of(String text) {
    return begin().digest(text.getBytes(UTF_8));
  }
}
