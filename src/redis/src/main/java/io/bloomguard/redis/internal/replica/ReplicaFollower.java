package io.bloomguard.redis.internal.replica;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.PartitionReplica;
import io.bloomguard.redis.internal.partition.RedisPartition;
import io.bloomguard.redis.internal.replica.JournalPage.Position;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the replica of one partition: loads the image, then follows the journal.
 *
 * <p>A loaded image answers only after a poll has found that the same image still serves, under the
 * same epoch and without a loss, and that no journal entry since is missing. Each later poll must
 * find the same. If one does not, the replica stops answering, and loads the image again. Used by
 * one thread.
 */
public final class ReplicaFollower {

  /** Loading takes at most this share of the time, whatever happens to image and journal. */
  private static final int LOAD_SHARE = 10;

  private static final Logger log = LoggerFactory.getLogger(ReplicaFollower.class);

  private final RedisPartition partition;
  private final PartitionReplica replica;
  private final KeyHasher hasher;
  private final long maxBytes;
  private final LongSupplier ticker;

  /** The load under way, or the one whose image is followed. */
  private @Nullable ReplicaLoad load;

  /** The position in the journal, null until the image is loaded. */
  private @Nullable Position position;

  /** Whether it answers; a copy lost before that costs no more than another load. */
  private boolean shown;

  private long loadBegan;
  private long nextLoad;
  private boolean warned;

  ReplicaFollower(
      RedisPartition partition,
      PartitionReplica replica,
      KeyHasher hasher,
      long maxBytes,
      LongSupplier ticker) {
    this.partition = partition;
    this.replica = replica;
    this.hasher = hasher;
    this.maxBytes = maxBytes;
    this.ticker = ticker;
    this.nextLoad = ticker.getAsLong();
  }

  /** Polls once, or loads for a while. Never throws because of Redis. */
  void turn(long nanos) {
    long began = ticker.getAsLong();
    try {
      ReplicaLoad last = load;
      String server = partition.builds().server();
      if (last != null && !server.isEmpty() && !server.equals(last.server())) {
        giveUp(); // Another server serves now: its image and its journal are others.
      }
      ReplicaLoad now = load == null ? begin(began) : load;
      if (now == null) {
        return;
      }
      if (position == null) {
        read(now, began, nanos);
      }
      if (position != null) {
        follow(now, position, began, nanos);
      }
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': its replica is not updated: {}", filter(), e.getMessage());
      if (!shown) {
        giveUp();
      }
    }
  }

  private @Nullable ReplicaLoad begin(long now) {
    if (now - nextLoad < 0) {
      return null;
    }
    // An attempt that fails here, for lack of a connection, has not taken the time of a load.
    loadBegan = now;
    String server = partition.builds().server();
    RedisLink link = partition.builds().only(server);
    RedisHead head = partition.head().read(link, RedisConnections.WRITE);
    RedisImage image = head.serving();
    // In doubt, the same head is read until the doubt has ended.
    if (image == null
        || isTooLarge(image)
        || image.fingerprint().shape().layout().removes()
        || !head.trust().holdsAt(server)) {
      return null;
    }
    long seen = partition.head().seenAt(server);
    JournalPage before = JournalPage.atEnd(link, partition.keys(), image, head.trust());
    if (before == null || isOlder(before, seen)) {
      return null;
    }
    FilterShape shape = image.fingerprint().shape();
    if (replica.sizeBytes() + shape.sizeBytes() > maxBytes) {
      replica.drop();
    }
    BlockedFilter bits = new BlockedFilter(shape, hasher);
    replica.load(bits);
    load = new ReplicaLoad(link, server, image, head.trust(), bits, before);
    return load;
  }

  /** Whether a part was put back since; the next script notes it for the others. */
  private boolean isOlder(JournalPage look, long seen) {
    boolean older = !look.inStep(seen);
    if (older) {
      partition.reportOlder();
    }
    return older;
  }

  private boolean isTooLarge(RedisImage image) {
    long size = image.fingerprint().shape().sizeBytes();
    if (size <= maxBytes) {
      return false;
    }
    replica.dropTooLarge();
    if (!warned) {
      warned = true;
      log.warn(
          "Filter '{}' has an image of {} bytes, but its replica may have {}: there is no replica,"
              + " and every check goes to Redis. Raise its replica.max-size",
          filter(),
          size,
          maxBytes);
    }
    return true;
  }

  private void read(ReplicaLoad from, long began, long nanos) {
    while (from.next()) {
      if (ticker.getAsLong() - began > nanos) {
        return; // other partitions have their turn
      }
    }
    position = from.position();
  }

  /** Reads the journal to its end, page by page. */
  private void follow(ReplicaLoad of, Position from, long began, long nanos) {
    Position at = from;
    do {
      long seen = partition.head().seenAt(of.server());
      long sent = ticker.getAsLong();
      JournalPage look = of.look(partition.keys(), at);
      Position next = look == null || isOlder(look, seen) ? null : look.next(at);
      if (look == null || next == null) {
        log.debug("Filter '{}': its replica is loaded again", filter());
        giveUp();
        return;
      }
      partition.saw(of.server(), look.beat());
      look.forEach(of.bits()::addHash);
      at = next;
      position = next;
      if (look.complete()) {
        show(of.bits(), sent);
        return;
      }
    } while (ticker.getAsLong() - began <= nanos);
  }

  private void show(BlockedFilter bits, long sent) {
    if (!shown) {
      shown = true;
      setNextLoad();
    }
    replica.show(bits, sent);
  }

  private void giveUp() {
    replica.doubt();
    replica.loadEnded();
    if (!shown) {
      setNextLoad();
    }
    shown = false;
    load = null;
    position = null;
  }

  private void setNextLoad() {
    long now = ticker.getAsLong();
    nextLoad = now + (LOAD_SHARE - 1) * (now - loadBegan);
  }

  private String filter() {
    return partition.own().filter();
  }
}
