package io.bloomguard.redis.generation;

import io.bloomguard.redis.image.RedisHead;
import io.bloomguard.redis.image.RedisImage;
import io.bloomguard.redis.partition.RedisPartition;

/**
 * The step of a filter back to the generation before.
 *
 * <p>Between the steps of its partitions these serve different generations; each is whole, so the
 * filter is right. The next rollback completes one that was cut short: a partition that has stepped
 * back stays.
 */
final class RedisRollback {

  private final RedisPartition[] partitions;

  RedisRollback(RedisPartition[] partitions) {
    this.partitions = partitions;
  }

  /** Lets every partition that serves the newest generation step back; false if one cannot. */
  boolean run() {
    RedisHead[] heads = new RedisHead[partitions.length];
    long newest = 0;
    for (int i = 0; i < heads.length; i++) {
      heads[i] = partitions[i].usable(partitions[i].builds());
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

  /** Lets the first partitions serve again what they did, because a later one cannot step back. */
  private void stepForward(RedisHead[] heads, int count, long newest) {
    for (int i = 0; i < count; i++) {
      RedisImage previous = heads[i].previous();
      if (heads[i].serves(newest) && previous != null) {
        partitions[i].rollback(previous.generation());
      }
    }
  }
}
