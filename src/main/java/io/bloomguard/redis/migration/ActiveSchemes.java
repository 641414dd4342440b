package io.bloomguard.redis.migration;

import io.bloomguard.redis.generation.RedisGenerations;
import io.bloomguard.redis.image.HashScheme;
import io.bloomguard.redis.partition.RedisPartition;
import org.jspecify.annotations.Nullable;

/**
 * What serves and, during a change, what is to take its place.
 *
 * @param current answers checks, partition by partition until the next one has arrived there
 * @param next takes adds as well
 */
public record ActiveSchemes(RedisGenerations current, @Nullable RedisGenerations next) {

  /**
   * The first thing that a head, as last read, says of another scheme; null for nothing. Which
   * scheme the filter has is for partition 0 to say: another that differs was put back. But the
   * others tell of changes of that scheme as well.
   */
  public @Nullable String otherScheme() {
    String own = current.scheme().text();
    RedisPartition[] partitions = current.partitions();
    for (int i = 0; i < partitions.length; i++) {
      String text = partitions[i].head().scheme();
      // A partition that was read before its change ended is skipped.
      boolean arrived = text.startsWith(own + "<");
      boolean old = current.standsAlone() && arrived;
      boolean told = i == 0 || arrived || text.startsWith(own + ">") || text.endsWith("<" + own);
      if (!text.isEmpty() && !text.equals(own) && !old && told) {
        return text;
      }
    }
    return null;
  }

  /** The one of a scheme, null if it is neither. */
  @Nullable RedisGenerations of(HashScheme scheme) {
    if (current.scheme().equals(scheme)) {
      return current;
    }
    return next != null && next.scheme().equals(scheme) ? next : null;
  }
}
