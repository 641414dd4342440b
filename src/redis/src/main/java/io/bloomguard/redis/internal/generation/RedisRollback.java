package io.bloomguard.redis.internal.generation;

import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.RedisPartition;

/**
 * The rollback of a filter to the previous generation.
 *
 * <p>Between the steps of its partitions these serve different generations; each is whole, so the
 * filter is right. The next rollback completes an interrupted one: a partition that was rolled back
 * stays so.
 */
final class RedisRollback {

  private final RedisPartition[] partitions;

  RedisRollback(RedisPartition[] partitions) {
    this.partitions = partitions;
  }

  /** Rolls back every partition that serves the newest generation; false if one cannot. */
  boolean run() {
    RedisHead[] heads = new RedisHead[partitions.length];
    long newest = 0;
    for (int i = 0; i < heads.length; i++) {
      heads[i] = partitions[i].head().usable(partitions[i].builds());
      RedisImage serving = heads[i].serving();
      if (serving == null) {
        return false;
      }
      newest = Math.max(newest, serving.generation());
    }
    for (RedisHead head : heads) {
      if (head.serves(newest) && head.previous() == null) {
        return false;
      }
    }
    for (int i = 0; i < heads.length; i++) {
      if (!partitions[i].rollback(newest)) {
        stepForward(heads, i, newest);
        return false;
      }
    }
    return true;
  }

  /**
   * Serves the former generation of the first partitions again, because a later one cannot be
   * rolled back.
   */
  private void stepForward(RedisHead[] heads, int count, long newest) {
    for (int i = 0; i < count; i++) {
      RedisImage previous = heads[i].previous();
      if (heads[i].serves(newest) && previous != null) {
        partitions[i].rollback(previous.generation());
      }
    }
  }
}
