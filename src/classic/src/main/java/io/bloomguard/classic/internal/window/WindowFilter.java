package io.bloomguard.classic.internal.window;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.Window;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a window filter in Redis.
 *
 * @param name the filter's name
 * @param shape the dimensions of one generation, with the layout blocked
 * @param window its generations
 * @param hasher the hash of its keys
 * @param connections the connections to Redis
 * @param keyPrefix the beginning of every key in Redis
 * @param retention how long an acknowledged key must not be forgotten, at any fill ratio
 * @param rotateAtFill the fill ratio past which the next generation begins early, null for never
 */
public record WindowFilter(
    String name,
    FilterShape shape,
    Window window,
    KeyHasher hasher,
    RedisConnections connections,
    String keyPrefix,
    Duration retention,
    @Nullable Double rotateAtFill) {}
