package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.KeyScan;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisHead.Condition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/** The creation of a missing head. */
final class HeadCreation {

  private static final LuaScript CREATE = ImageFormat.SCRIPT.then(HeadCreation.class, "create");

  /** The longest search for leftover keys, as a multiple of one command's time. */
  private static final int SEARCH = 30;

  private final RedisPartition partition;
  private final PartitionHead head;
  private final RedisPartition[] all;
  private final ReentrantLock creating = new ReentrantLock();

  /**
   * @param all the partitions of the filter; the first names the filter's scheme, partition count
   *     included
   */
  HeadCreation(RedisPartition partition, RedisPartition[] all) {
    this.partition = partition;
    this.head = partition.head();
    this.all = all;
  }

  /**
   * Ensures that a head exists.
   *
   * @param mode {@code keep} leaves a key that has the marks of a head, {@code replace} replaces
   *     it; the latter only by the holder of the build's lock, for another process may have
   *     replaced a damaged head already
   * @param timeout for one command; the whole call takes {@value #SEARCH} times as long at most
   * @throws StoreUnavailableException if Redis holds another scheme, or does not answer in time
   */
  void create(RedisLink link, Duration timeout, String mode) {
    if (partition.keys().arriving()) {
      // Only the migration makes it, in one step with the mark that leads every add to it.
      throw new StoreUnavailableException("Its head for the next scheme is missing", null);
    }
    if (partition.own().partition() != 0) {
      require(all[0], timeout);
    } else {
      requireNoOther(timeout);
    }
    // The search for leftovers scans all keys of the server: once is enough.
    long end = System.nanoTime() + SEARCH * timeout.toNanos();
    if (!Attempts.isLocked(creating, timeout)) {
      throw new StoreUnavailableException("Another thread is making its head", null);
    }
    try {
      if (mode.equals("replace") || !head.read(link, timeout).valid()) {
        createNow(link, timeout, mode, end);
      }
    } finally {
      creating.unlock();
    }
  }

  private void createNow(RedisLink link, Duration timeout, String mode, long end) {
    List<byte[]> names = new ArrayList<>(List.of(partition.keys().head()));
    if (!KeyScan.each(link, partition.keys().images(), timeout, end, names::addAll)) {
      throw new StoreUnavailableException(
          "The search for its leftovers among the keys of Redis takes too long", null);
    }
    String server = link.server();
    String lineage = UUID.randomUUID().toString();
    CREATE
        .start(link.only(server), names, mode, head.scheme(), server, lineage, head.succeeded())
        .await(timeout);
  }

  /** Ensures that the filter is not of another scheme that has lost this partition. */
  private void requireNoOther(Duration timeout) {
    for (int i = 1; i < all.length; i++) {
      RedisHead other = all[i].head().read(all[i].requests(), timeout);
      if (other.condition() == Condition.FOREIGN) {
        throw head.foreign(other);
      }
    }
  }

  /** Ensures that the filter has this scheme. */
  private static void require(RedisPartition first, Duration timeout) {
    RedisLink link = first.requests();
    if (first.head().read(link, timeout).condition() == Condition.MISSING) {
      first.create(link, timeout, "keep");
    }
    if (!first.head().usable(link).valid()) {
      throw new StoreUnavailableException("The head of its partition 0 is damaged", null);
    }
  }
}
