package io.bloomguard.redis.internal.generation;

import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.Arrays;
import java.util.List;

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

  /** Whether every partition that serves the newest generation keeps an older one. */
  static boolean isPossible(List<RedisHead> heads) {
    long newest = newest(heads);
    for (RedisHead head : heads) {
      RedisImage previous = head.previous();
      if (head.serving() == null
          || head.serves(newest) && (previous == null || previous.generation() > newest)) {
        return false;
      }
    }
    return true;
  }

  private static long newest(List<RedisHead> heads) {
    long newest = 0;
    for (RedisHead head : heads) {
      RedisImage serving = head.serving();
      newest = Math.max(newest, serving == null ? 0 : serving.generation());
    }
    return newest;
  }

  /** Rolls back every partition that serves the newest generation; false if one cannot. */
  boolean run() {
    RedisHead[] heads = new RedisHead[partitions.length];
    Arrays.setAll(heads, i -> partitions[i].head().usable(partitions[i].builds()));
    if (!isPossible(List.of(heads))) {
      return false;
    }
    long newest = newest(List.of(heads));
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
