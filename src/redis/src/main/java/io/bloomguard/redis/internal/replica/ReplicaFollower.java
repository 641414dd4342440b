package io.bloomguard.redis.internal.replica;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.PartitionReplica;
import io.bloomguard.redis.internal.partition.RedisPartition;
import io.bloomguard.redis.internal.replica.JournalPage.Position;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintains the replica of one partition: loads the image, then follows the journal.
 *
 * <p>Each poll registers the last entry that the copy has, and must find that the same image still
 * serves, under the same epoch and without a loss, and that no entry since is missing. If it also
 * reaches the journal's end, the copy holds a lease from the moment at which the poll was sent. If
 * a poll finds something else, the copy stops answering before another image is registered, and the
 * image is loaded again. Used by one thread, but for messages. docs/decisions/0079 has the rules.
 */
public final class ReplicaFollower {

  /** Loading takes at most this share of the time, whatever happens to image and journal. */
  private static final int LOAD_SHARE = 10;

  /** The most messages that wait for a turn; what others tell is read in a page. */
  private static final int MESSAGES = 64;

  /** The longest of them in bytes; an add's script sends less than 3,000. */
  private static final int LONGEST_MESSAGE = 8192;

  /** Reports take the place of polls for this part of a lease: another poll may be late or lost. */
  private static final int REPORTING = 6;

  private static final LuaScript FOLLOW =
      RedisPartition.withWriters(RedisPartition.PREAMBLE).then(ReplicaFollower.class, "follow");
  private static final LuaScript REPORT = LuaScript.of(ReplicaFollower.class, "report");
  private static final LuaScript UNREGISTER = LuaScript.of(ReplicaFollower.class, "unregister");

  private static final Logger log = LoggerFactory.getLogger(ReplicaFollower.class);

  private final RedisPartition partition;
  private final PartitionReplica replica;
  private final KeyHasher hasher;
  private final long maxBytes;
  private final long leaseNanos;
  private final LongSupplier ticker;
  private final Queue<byte[]> messages = new ArrayBlockingQueue<>(MESSAGES);

  /** The load under way, or the one whose image is followed. */
  private @Nullable ReplicaLoad load;

  /** The position in the journal, null until the image is loaded. */
  private @Nullable Position position;

  /** Whether it has held a lease; a copy lost before that costs no more than another load. */
  private boolean shown;

  /** Whether the last poll ended the lease: the next one takes none. */
  private boolean behind;

  /** Whether the register may have this copy. */
  private boolean registered;

  private boolean refused;

  private boolean unreported;

  /** Whether there may be more in the journal than the messages tell. */
  private volatile boolean missed;

  /** The moment before the poll of the lease was sent. */
  private long leased;

  private long polls;
  private long copies;

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
    this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(replica.leaseMillis());
    this.ticker = ticker;
    this.nextLoad = ticker.getAsLong();
  }

  /**
   * Keeps a message for the next turn; whether that is to come at once. An entry of the own process
   * is one that no other writer waits for. Does not wait, on any thread.
   */
  boolean hears(byte[] message) {
    if (message.length == 0 || message.length > LONGEST_MESSAGE || !messages.offer(message)) {
      missed = true;
      return true;
    }
    return !JournalNews.isOf(message, replica.id());
  }

  /**
   * Polls, or loads for a while. Never throws because of Redis.
   *
   * @return whether the copy has entries that it has still to report
   */
  boolean turn(long nanos) {
    unreported = false;
    long began = ticker.getAsLong();
    try {
      ReplicaLoad last = load;
      String server = partition.builds().server();
      if (last != null && !server.isEmpty() && !server.equals(last.server())) {
        giveUp(); // Another server serves now: its image and its journal are others.
      }
      ReplicaLoad now = load == null ? begin(began) : load;
      if (now == null) {
        messages.clear();
        return false;
      }
      if (position == null) {
        read(now, began, nanos);
      }
      if (position != null) {
        Position heard = heard(now, position);
        boolean reports = shown && !behind && !missed && began - leased < leaseNanos / REPORTING;
        if (!reports || heard.equals(position) || !report(now, heard)) {
          missed = false;
          follow(now, heard, began, nanos);
        }
      }
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': its replica is not updated: {}", filter(), e.getMessage());
      if (!shown) {
        giveUp();
      } else if (!replica.isLeased()) {
        // Redis may have got each poll, and have writers wait for a copy without a lease.
        endLease();
      }
    }
    return unreported;
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
    JournalPage before = poll(link, image, head.trust().epoch(), null, false);
    if (before == null) {
      return null;
    }
    FilterShape shape = image.fingerprint().shape();
    if (replica.sizeBytes() + shape.sizeBytes() > maxBytes) {
      replica.drop();
    }
    BlockedFilter bits = new BlockedFilter(shape, hasher, image.fingerprint().salt());
    replica.load(bits);
    ReplicaLoad.Chunks none = new ReplicaLoad.Chunks();
    String epoch = head.trust().epoch();
    load = new ReplicaLoad(link, server, image, epoch, bits, before.position(), none);
    return load;
  }

  /**
   * Polls once.
   *
   * @param from the last entry that the copy has; null to read the journal's end alone
   * @param leases whether the copy takes a lease
   * @return null if the image does not serve, or is in doubt
   */
  private @Nullable JournalPage poll(
      RedisLink link, RedisImage image, String epoch, @Nullable Position from, boolean leases) {
    LuaScript.Reply reply = Attempts.of(() -> tryPoll(link, image, epoch, from, leases));
    if (reply == null || !reply.ok()) {
      return null;
    }
    JournalPage page = JournalPage.of(reply);
    copies = page.copies();
    return page;
  }

  /** Null if the head has changed meanwhile. */
  private LuaScript.@Nullable Reply tryPoll(
      RedisLink link, RedisImage image, String epoch, @Nullable Position from, boolean leases) {
    LuaScript.Reply reply =
        partition
            .start(
                FOLLOW,
                link,
                partition.head().last(),
                List.of(partition.keys().writers()),
                image.sealBytes(ImageState.READY),
                image.lastWord() * Long.BYTES,
                epoch,
                from == null ? "" : from.id(),
                replica.id(),
                leases ? replica.leaseMillis() : 0,
                ++polls,
                JournalPage.PAGE)
            .await(RedisConnections.WRITE);
    if (reply.outcome() != ScriptOutcome.REREAD) {
      return reply;
    }
    partition.head().read(link, RedisConnections.WRITE);
    return null;
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

  /** Reads the journal to its end, page by page, and reports that once. */
  private void follow(ReplicaLoad of, Position from, long began, long nanos) {
    Position at = from;
    boolean ended = false;
    do {
      boolean leases = !behind;
      registered |= leases;
      PartitionReplica.Moment sent = replica.moment();
      JournalPage look = poll(of.link(), of.image(), of.epoch(), at, leases);
      Position next = look == null ? null : look.next(at);
      if (look == null || next == null) {
        log.debug("Filter '{}': its replica is loaded again", filter());
        giveUp();
        return;
      }
      partition.saw(of.server(), look.beat());
      look.forEach(hash -> replica.add(of.bits(), hash));
      position = next;
      behind = false;
      if (!look.complete()) {
        endLease();
      } else if (isRefused(look) || isLate(sent)) {
        endLease();
        return;
      } else if (leases) {
        show(of.bits(), sent);
        leased = sent.nanos();
        unreported = !next.id().equals(at.id());
        if (!unreported || ended) {
          return;
        }
        ended = true;
      }
      at = next;
    } while (ticker.getAsLong() - began <= nanos);
  }

  /** Before the next poll says that there is none. */
  private void endLease() {
    replica.endLease();
    behind = true;
  }

  /** A copy whose polls take long has next to no lease, but a writer would wait for each. */
  private boolean isLate(PartitionReplica.Moment sent) {
    long most = TimeUnit.MILLISECONDS.toNanos(replica.leaseMillis()) / 2;
    return ticker.getAsLong() - sent.nanos() > most;
  }

  private boolean isRefused(JournalPage look) {
    if (!look.leases() && !refused) {
      log.info(
          "Filter '{}': its copy holds no lease, and checks go to Redis, while a process of a"
              + " version adds that does not wait for copies",
          filter());
    }
    refused = !look.leases();
    return refused;
  }

  /** The position after the messages that continue the journal from another. */
  private Position heard(ReplicaLoad of, Position from) {
    Position at = from;
    for (byte[] message = messages.poll(); message != null; message = messages.poll()) {
      JournalNews news = JournalNews.of(message);
      Position next =
          news == null ? null : news.next(at, of.epoch(), partition.head().last().view());
      if (news != null && next != null) {
        news.forEach(hash -> replica.add(of.bits(), hash));
        at = next;
      } else if (news == null || news.id().compareTo(at.id()) > 0) {
        missed = true;
      }
    }
    return at;
  }

  /** Tells the register of entries that messages told of; whether it has taken that. */
  private boolean report(ReplicaLoad of, Position at) {
    position = at;
    return REPORT
        .start(
            of.link(),
            List.of(partition.keys().head()),
            of.server(),
            partition.head().seenAt(of.server()),
            of.epoch(),
            of.image().id(),
            replica.id(),
            at.id(),
            ++polls)
        .await(RedisConnections.WRITE)
        .ok();
  }

  private void show(BlockedFilter bits, PartitionReplica.Moment sent) {
    if (!shown) {
      shown = true;
      setNextLoad();
    }
    replica.lease(bits, sent);
  }

  /** The channel of messages about its partition. */
  byte[] channel() {
    return partition.keys().current().head();
  }

  double lagSeconds() {
    return replica.lagSeconds();
  }

  /** The number of registered copies, this one included, as last seen. */
  long copies() {
    return copies;
  }

  /** The polls that were sent so far. */
  long polls() {
    return polls;
  }

  private void giveUp() {
    replica.endLease();
    replica.loadEnded();
    ReplicaLoad last = load;
    if (!shown) {
      setNextLoad();
    }
    shown = false;
    behind = false;
    load = null;
    position = null;
    unregister(last);
  }

  /** Ends the lease, so that no writer waits for it. Never throws because of Redis. */
  void close() {
    replica.endLease();
    unregister(load);
  }

  private void unregister(@Nullable ReplicaLoad last) {
    if (last == null || !registered) {
      return;
    }
    registered = false;
    try {
      UNREGISTER
          .start(last.link(), List.of(partition.keys().head()), replica.id(), ++polls)
          .await(RedisConnections.WRITE);
    } catch (RedisUnavailableException e) {
      log.debug("The register keeps a copy until a writer strikes it: {}", e.getMessage());
    }
  }

  private void setNextLoad() {
    long now = ticker.getAsLong();
    nextLoad = now + (LOAD_SHARE - 1) * (now - loadBegan);
  }

  private String filter() {
    return partition.own().filter();
  }
}
