package io.bloomguard.autoconfigure;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.redis.client.EarlierSecret;

/**
 * A filter in Redis without a hash secret. The remedy has a fresh one to paste, unless an earlier
 * version made one: the data in Redis was hashed under that.
 */
final class MissingHashSecretException extends InvalidBloomguardSettingException {

  private static final long serialVersionUID = 1L;

  private static final String SET = "Set it in every process, and keep it like a password:";

  /**
   * @param keyPrefix what every key in Redis begins with
   */
  MissingHashSecretException(String filter, String keyPrefix, EarlierSecret earlier) {
    super(description(filter, earlier), action(EarlierSecret.key(keyPrefix), earlier));
  }

  private static String description(String filter, EarlierSecret earlier) {
    String missing =
        "bloomguard.hash-secret is not set, but '"
            + filter
            + "' is in Redis, where keys are hashed under a secret that all processes have in common";
    return switch (earlier) {
      case PRESENT -> missing + ". An earlier version made one, and Redis still holds it";
      case ABSENT -> missing;
      case UNKNOWN ->
          missing + ". Redis does not answer, so an earlier version may have left one there";
    };
  }

  private static String action(String key, EarlierSecret earlier) {
    String read = "redis-cli GET " + key;
    return switch (earlier) {
      case PRESENT ->
          "Read the secret with '"
              + read
              + "' and set bloomguard.hash-secret to that value in every process; keep it like a"
              + " password. Under any other secret, the filters that are in Redis stay UNKNOWN.";
      case ABSENT -> SET + fresh();
      case UNKNOWN ->
          "Start Redis and ask it with '"
              + read
              + "'. If it prints a value, set bloomguard.hash-secret to that: under any other secret,"
              + " the filters that are in Redis stay UNKNOWN. Only if it prints none, take a fresh one. "
              + SET
              + fresh();
    };
  }

  private static String fresh() {
    return "\n\n    bloomguard.hash-secret=" + HashSecret.random().toHex() + "\n";
  }
}
