package io.bloomguard.redis;

import org.jspecify.annotations.Nullable;

/**
 * What serves and, during a change, what is to take its place.
 *
 * @param current answers checks, partition by partition until the next one has arrived there
 * @param next takes adds as well
 */
record Spaces(RedisGenerations current, @Nullable RedisGenerations next) {

  /**
   * The first thing that a head, as last read, says of another hashing; null for nothing. Which
   * hashing the filter has is for partition 0 to say: another that differs was put back. But the
   * others tell of changes of that hashing as well.
   */
  @Nullable String news() {
    String own = current.hashing().text();
    RedisPartition[] partitions = current.partitions();
    for (int i = 0; i < partitions.length; i++) {
      String text = partitions[i].head().hashing();
      // A partition that was read before its change ended is no news.
      boolean arrived = text.startsWith(own + "<");
      boolean old = current.standsAlone() && arrived;
      boolean told = i == 0 || arrived || text.startsWith(own + ">") || text.endsWith("<" + own);
      if (!text.isEmpty() && !text.equals(own) && !old && told) {
        return text;
      }
    }
    return null;
  }

  /** The one of a hashing, null if it is neither. */
  @Nullable RedisGenerations of(Hashing hashing) {
    if (current.hashing().equals(hashing)) {
      return current;
    }
    return next != null && next.hashing().equals(hashing) ? next : null;
  }
}
