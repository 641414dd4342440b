package io.bloomguard.redis.internal.build;

import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.RedisPartition;

/**
 * A partition that gets the generation of a build.
 *
 * @param link leads to the server where the build was registered; no other gets a command
 * @param load fills the image
 */
record PartitionBuild(RedisPartition partition, RedisLink link, RedisImage image, ImageLoad load) {

  /** Whether the lock is among its keys. */
  boolean isFirst() {
    return index() == 0;
  }

  int index() {
    return partition.own().partition();
  }

  RedisHead readHead() {
    return partition.head().read(link, link.timeout());
  }
}
