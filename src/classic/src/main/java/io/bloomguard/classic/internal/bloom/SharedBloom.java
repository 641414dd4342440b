package io.bloomguard.classic.internal.bloom;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.redis.internal.client.Utf8;
import java.util.List;

/**
 * The filter of the module at one key of Redis, and the settings for its creation.
 *
 * @param filter the filter's name here
 * @param key the name of the Redis key
 * @param shape the capacity and error rate of a new filter
 * @param create whether a missing filter is created
 * @param expansion the growth factor of each further filter in it, 0 for one that does not grow
 */
public record SharedBloom(
    String filter, String key, FilterShape shape, boolean create, int expansion) {

  /** The key as it is sent. */
  List<byte[]> keys() {
    return List.of(Utf8.bytes(key));
  }

  /** The arguments after the key in {@code BF.RESERVE}. */
  Object[] reservation() {
    String rate = Double.toString(shape.falsePositiveProbability());
    String capacity = Long.toString(shape.expectedInsertions());
    return expansion == 0
        ? new Object[] {rate, capacity, "NONSCALING"}
        : new Object[] {rate, capacity, "EXPANSION", Integer.toString(expansion)};
  }
}
