package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.generation.internal.journal.JournalMemory;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.client.RedisFeedRecord;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.partition.JournalBound;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a filter in Redis, besides its scheme.
 *
 * @param name the filter's name
 * @param configured the configured shape; if Redis holds another, that one is used
 * @param keyPrefix the beginning of every key, such as {@code bloomguard}
 * @param journalRetention how long an acknowledged add is replayed into new generations, and how
 *     long the generation before the serving one is kept
 * @param journalMemory bounds this process' retained adds; its bound is also that of the filter's
 *     journals in Redis
 * @param replica the settings of this process' replica, null for none
 * @param keepsPrevious whether the generation before the serving one is kept
 */
public record RedisFilter(
    String name,
    FilterShape configured,
    RedisConnections connections,
    String keyPrefix,
    Duration journalRetention,
    JournalMemory journalMemory,
    @Nullable ReplicaSettings replica,
    boolean keepsPrevious) {

  /** Whether it rejects, as the head of its partition 0 says. */
  public RedisEnforcement enforcement() {
    return new RedisEnforcement(name, connections, root().current().head());
  }

  /** The keys of its partition 0. */
  PartitionKeys root() {
    return new PartitionKeys(keyPrefix, name, 0, false);
  }

  /** The record of its feed of changes, in the head of its partition 0. */
  public RedisFeedRecord feedRecord(HashSecret secret) {
    PartitionKeys keys = root();
    return new RedisFeedRecord(
        name, connections, keys.current().head(), keys.ownWrites(), new KeyDigest(secret)::number);
  }

  /** The journal bound of one of so many partitions, which share the filter's bound in Redis. */
  JournalBound journalBound(int partitions) {
    return new JournalBound(
        name, journalRetention, journalMemory, journalMemory.bound() / partitions);
  }
}
