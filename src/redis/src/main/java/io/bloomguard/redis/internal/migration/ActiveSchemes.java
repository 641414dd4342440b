package io.bloomguard.redis.internal.migration;

import io.bloomguard.redis.internal.generation.RedisGenerations;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The serving scheme and, during a migration, the one that is to replace it.
 *
 * @param current answers checks, partition by partition until the next one has arrived there
 * @param next takes adds as well
 */
public record ActiveSchemes(RedisGenerations current, @Nullable RedisGenerations next) {

  /**
   * The first text about another scheme in a head, as last read; null for none. Partition 0 decides
   * the scheme of the filter: a head that differs from it was put back. But the other partitions
   * also tell of migrations of that scheme.
   */
  public @Nullable String otherScheme() {
    String own = current.scheme().text();
    RedisPartition[] partitions = current.partitions();
    for (int i = 0; i < partitions.length; i++) {
      String text = partitions[i].head().last().scheme();
      // A partition that was read before its migration ended is skipped.
      boolean arrived = text.startsWith(own + "<");
      boolean old = current.standsAlone() && arrived;
      boolean told = i == 0 || arrived || text.startsWith(own + ">") || text.endsWith("<" + own);
      if (!text.isEmpty() && !text.equals(own) && !old && told) {
        return text;
      }
    }
    return null;
  }

  /** Those that take adds, the current one first. */
  public List<RedisGenerations> all() {
    return next == null ? List.of(current) : List.of(current, next);
  }
}
