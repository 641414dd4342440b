package io.bloomguard.redis;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.ReplicaSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is configured of a filter in Redis, besides its hashing.
 *
 * @param name the filter's name
 * @param configured the configured shape; where Redis holds another, that one is followed
 * @param keyPrefix what every key begins with, such as {@code bloomguard}
 * @param journalRetention how long an acknowledged add is replayed into new generations, and how
 *     long the generation before the serving one is kept
 * @param replica how this process keeps a copy, null for none
 */
public record RedisFilter(
    String name,
    FilterShape configured,
    RedisConnections connections,
    String keyPrefix,
    Duration journalRetention,
    @Nullable ReplicaSettings replica) {}
