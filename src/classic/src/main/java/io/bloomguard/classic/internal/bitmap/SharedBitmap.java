package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.classic.internal.hash.BitOffsets;
import io.bloomguard.classic.internal.hash.StringChoice;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.redis.internal.client.RedisConnections;
import java.util.List;

/**
 * The settings of one filter in bit strings.
 *
 * @param filter the filter's name
 * @param shape its dimensions
 * @param key the name of the string, or the beginning of the names of all partitions
 * @param partitioned whether the names of strings end in a dot and their partition
 * @param offsets the positions of a key's bits in its string
 * @param choice the choice of a key's string
 * @param servers the connections to each server, in the order in which keys are spread
 * @param missingIsAbsent whether the keys of a missing string are absent, not unknown
 * @param create whether an add creates a missing string
 * @param allowClear whether an operator may clear the filter
 * @param folding the folding, which decides the keys that are equal
 */
public record SharedBitmap(
    String filter,
    FilterShape shape,
    String key,
    boolean partitioned,
    BitOffsets offsets,
    StringChoice choice,
    List<RedisConnections> servers,
    boolean missingIsAbsent,
    boolean create,
    boolean allowClear,
    KeyFolding folding) {

  public SharedBitmap {
    servers = List.copyOf(servers);
    if (servers.size() != choice.servers()) {
      throw new IllegalArgumentException(
          servers.size() + " servers, but keys are spread over " + choice.servers());
    }
  }

  /** The name of a string. */
  String name(int partition) {
    return partitioned ? key + "." + partition : key;
  }
}
