package io.bloomguard.redis.internal.partition;

import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.image.PartitionKeys;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all operations on one partition share.
 *
 * @param keys its keys in Redis
 * @param own the fingerprint that this node expects of an image, its own shape included
 * @param requests the link for checks and adds
 * @param builds the link for work that no request waits for
 * @param journal the bounds on recent adds
 * @param replica this process' replica of the serving image, null for none
 */
record PartitionContext(
    PartitionKeys keys,
    Fingerprint own,
    RedisLink requests,
    RedisLink builds,
    JournalBound journal,
    @Nullable PartitionReplica replica) {

  /** The filter's name, for messages. */
  String filter() {
    return own.filter();
  }

  /** The name of this process' copy in the register; empty for none. */
  String copyId() {
    return replica == null ? "" : replica.id();
  }
}
