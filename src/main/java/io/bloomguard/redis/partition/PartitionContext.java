package io.bloomguard.redis.partition;

import io.bloomguard.filter.Fingerprint;
import io.bloomguard.redis.client.RedisLink;
import io.bloomguard.redis.image.PartitionKeys;
import org.jspecify.annotations.Nullable;

/**
 * What all that is done to one partition shares.
 *
 * @param keys its keys in Redis
 * @param own what this node expects of an image's fingerprint, its own shape included
 * @param requests the way of checks and adds
 * @param builds the way of what no request waits for
 * @param journal the bounds on recent adds
 * @param replica this process' copy of the serving image, null for none
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
}
