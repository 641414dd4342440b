package io.bloomguard.redis.internal.partition;

import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes hashes from the serving image of a partition. A removal is never sent twice: if it took
 * effect twice, it would remove other keys too.
 */
final class PartitionRemovals {

  private static final LuaScript REMOVE =
      RedisPartition.PREAMBLE.then(PartitionRemovals.class, "remove");

  private final RedisPartition partition;

  PartitionRemovals(RedisPartition partition) {
    this.partition = partition;
  }

  /**
   * Removes hashes from the given generation, if it serves.
   *
   * @param generation 0 for the serving one
   * @return the number of removed hashes
   * @throws RemovalFailedException if that number is unknown, or Redis removed none
   */
  int send(List<Long> hashes, long generation) {
    int removed = 0;
    for (int from = 0; from < hashes.size(); from += PartitionAdds.CHUNK) {
      int to = Math.min(hashes.size(), from + PartitionAdds.CHUNK);
      try {
        removed += sendChunk(hashes.subList(from, to), generation);
      } catch (RemovalFailedException e) {
        throw e.after(removed);
      }
    }
    return removed;
  }

  private int sendChunk(List<Long> hashes, long generation) {
    Integer removed;
    try {
      if (partition.head().last().serving() == null) {
        partition.read();
      }
      removed = Attempts.of(() -> trySend(hashes, generation));
    } catch (RedisUnavailableException e) {
      throw RemovalFailedException.repeatable(message(String.valueOf(e.getMessage())), e);
    }
    if (removed == null) {
      throw refused("its generations changed again and again");
    }
    return removed;
  }

  /** Null if nothing was done, because the head has changed. */
  private @Nullable Integer trySend(List<Long> hashes, long generation) {
    RedisHead view = partition.head().last();
    RedisImage image = view.serving();
    if (image == null) {
      throw refused("no image serves");
    }
    if (!image.fingerprint().shape().layout().removes()
        || (generation != 0 && image.generation() != generation)) {
      return 0;
    }
    LuaScript.Reply reply;
    try {
      reply = start(view, image, hashes).await(RedisConnections.WRITE);
    } catch (RedisUnavailableException e) {
      throw new RemovalFailedException(message(String.valueOf(e.getMessage())), e);
    }
    if (reply.ok()) {
      return (int) reply.number(1);
    }
    if (reply.outcome() == ScriptOutcome.UNSETTLED || reply.outcome() == ScriptOutcome.DAMAGED) {
      throw refused("Redis may have lost writes or its image is damaged");
    }
    partition.read();
    return null;
  }

  private LuaScript.Call start(RedisHead view, RedisImage image, List<Long> hashes) {
    return partition.start(
        REMOVE,
        partition.requests(),
        view,
        List.of(),
        image.sealBytes(ImageState.READY),
        image.lastWord() * Long.BYTES,
        (long) hashes.size(),
        image.offsetsPerKey(),
        image.offsets(hashes));
  }

  private RemovalFailedException refused(String why) {
    return RemovalFailedException.repeatable(message(why), null);
  }

  private String message(String why) {
    return "Filter '" + partition.filter() + "' could not remove keys: " + why;
  }
}
