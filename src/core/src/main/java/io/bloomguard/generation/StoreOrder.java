package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The input from which a {@link FilterBackend} makes the store of one filter.
 *
 * @param filter the filter's name
 * @param shape its dimensions
 * @param hash the hash of its keys
 * @param folding which keys are held equal
 * @param secret the configured secret of the hash, null where none is
 * @param journalRetention the time for which a build replays an acknowledged add
 * @param journalBytes the most bytes that the adds of that time may take
 */
public record StoreOrder(
    String filter,
    FilterShape shape,
    KeyHash hash,
    KeyFolding folding,
    @Nullable HashSecret secret,
    Duration journalRetention,
    long journalBytes) {

  /**
   * {@return what turns its canonical keys into bits, in every process alike}
   *
   * @throws IllegalStateException if no secret is configured, so that no other process could read
   *     the bits
   */
  public KeyHasher hasher() {
    if (secret == null) {
      throw new IllegalStateException(
          "bloomguard.hash-secret is not set, but the backend of the filter '"
              + filter
              + "' hashes keys under a secret that all processes have in common");
    }
    return folding.over(hash.hasher(secret));
  }
}
