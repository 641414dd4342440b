package io.bloomguard.redis.internal.client;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;

/** Opens connections to the masters of a cluster, slot by slot. */
public final class SlotMasters implements AutoCloseable {

  private final RedisClusterClient cluster;
  private final RedisClient nodes;

  /**
   * Creates an opener without a connection.
   *
   * @param cluster knows the master of each slot
   * @param options of the connections to single nodes
   */
  public SlotMasters(RedisClusterClient cluster, ClientResources resources, ClientOptions options) {
    this.cluster = cluster;
    this.nodes = RedisClient.create(resources);
    nodes.setOptions(options);
  }

  /**
   * A connection to the master of a slot, as the cluster sees it now.
   *
   * @throws RedisConnectionException if no server has the slot, or its master cannot be reached
   */
  public RedisSession connect(int slot) {
    cluster.refreshPartitions();
    RedisClusterNode master = cluster.getPartitions().getPartitionBySlot(slot);
    if (master == null) {
      throw new RedisConnectionException("No node of the cluster has slot " + slot);
    }
    return RedisSession.to(
        nodes.connect(ByteArrayCodec.INSTANCE, master.getUri()), RedisConnections.CONNECT);
  }

  @Override
  public void close() {
    nodes.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }
}
