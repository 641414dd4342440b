package io.bloomguard.generation.internal.claim;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.guard.ClaimRefusedException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * A claim on the answer to an add: its name, and a digest of the keys that it stands for.
 *
 * <p>Both are parts of SHA-256, which no change of a filter's secret changes. The digest of the
 * keys begins with the claim itself, which is kept nowhere.
 *
 * @param name 32 hexadecimal digits
 * @param digest of all keys in their order, 16 bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Claim(String name, byte[] digest) {

  /** The bytes of a digest. */
  public static final int DIGEST_BYTES = 16;

  /** The most keys of one claim, whose index and answer share two bytes. */
  public static final int MOST_KEYS = 32_000;

  /**
   * {@return the claim of an add}
   *
   * @param text what the caller calls it
   * @param keys the canonical keys of the whole add
   * @throws IllegalArgumentException if it has more than {@link #MOST_KEYS} keys
   */
  public static Claim of(String text, List<String> keys) {
    if (keys.size() > MOST_KEYS) {
      throw new IllegalArgumentException(
          "An add under a claim has " + keys.size() + " keys, but must have at most " + MOST_KEYS);
    }
    MessageDigest sha = sha256();
    update(sha, text);
    byte[] name = sha.digest();
    update(sha, text);
    keys.forEach(key -> update(sha, key));
    byte[] digest = sha.digest();
    return new Claim(
        HexFormat.of().formatHex(name, 0, DIGEST_BYTES), Arrays.copyOf(digest, DIGEST_BYTES));
  }

  private static void update(MessageDigest sha, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
    sha.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /** {@return the refusal of an add whose claim stands for other keys} */
  public static ClaimRefusedException otherKeys(String filter) {
    return new ClaimRefusedException(
        "Filter '"
            + filter
            + "': the claim stands for other keys, so nothing was added: give each add a claim of"
            + " its own, and repeat an add with the same keys in the same order");
  }

  /** {@return what the answers to as many keys take, in bytes} */
  public static long bytes(int keys) {
    return 160 + DIGEST_BYTES + 2L * keys;
  }
}
