package io.bloomguard.classic.internal.window;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.Window;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.Utf8;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    @Nullable Double rotateAtFill) {

  /** The beginning of its keys in Redis. */
  String base() {
    return keyPrefix + ":{" + name + ":window}:";
  }

  /** Its keys in Redis, all in one slot: the head, then an image for each generation. */
  List<byte[]> keys() {
    List<byte[]> keys = new ArrayList<>(List.of(Utf8.bytes(base() + "head")));
    for (int i = 0; i < window.count(); i++) {
      keys.add(Utf8.bytes(base() + "image:" + i));
    }
    return keys;
  }

  /** The bits past which the next generation begins early, empty for never. */
  String mostBits() {
    return rotateAtFill == null ? "" : Long.toString((long) (rotateAtFill * shape.bits()));
  }

  /** What all processes that share the window agree on. */
  String fingerprint() {
    return Fingerprint.of(name, shape, hasher, 1, 0).text()
        + ";length="
        + window.length().toMillis()
        + ";count="
        + window.count();
  }
}
