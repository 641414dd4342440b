package io.bloomguard.redis.internal.build;

import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clears a build whose process has died: as long as it is registered, every add goes to its image
 * too, and the journal is kept for it.
 */
public final class AbandonedBuild {

  private static final Logger log = LoggerFactory.getLogger(AbandonedBuild.class);
  private static final LuaScript ABANDON = LuaScript.of(AbandonedBuild.class, "abandon");

  /** The image that had no lock at the last call; empty for none. */
  private String suspect = "";

  /**
   * Clears a registered build that was without a lock at the last call too. Called by one thread at
   * a time.
   *
   * @throws RedisUnavailableException if Redis does not answer
   */
  public void clear(RedisPartition[] partitions) {
    String registered = registered(partitions);
    if (registered.isEmpty() || isLocked(partitions[0])) {
      suspect = "";
      return;
    }
    if (!registered.equals(suspect)) {
      // The lock's last script may be publishing the other partitions right now.
      suspect = registered;
      return;
    }
    for (RedisPartition partition : partitions) {
      RedisImage image = partition.head().last().building();
      if (image != null && image.id().equals(registered)) {
        byte[] head = partition.keys().head();
        ABANDON
            .start(partition.requests(), List.of(head, image.key(), head), image.id(), "")
            .await(RedisConnections.WRITE);
        partition.head().read(partition.requests(), RedisConnections.WRITE);
      }
    }
    log.warn(
        "Filter '{}': the build of generation {} has lost its process and is cleared",
        partitions[0].own().filter(),
        registered.substring(0, registered.indexOf('-')));
  }

  private static String registered(RedisPartition[] partitions) {
    return Arrays.stream(partitions)
        .map(partition -> partition.head().last().building())
        .filter(Objects::nonNull)
        .findFirst()
        .map(RedisImage::id)
        .orElse("");
  }

  private static boolean isLocked(RedisPartition first) {
    byte[] lock = first.keys().lock();
    Long there = Replies.await(first.requests().call(c -> c.exists(lock)), RedisConnections.WRITE);
    return there != null && there > 0;
  }
}
