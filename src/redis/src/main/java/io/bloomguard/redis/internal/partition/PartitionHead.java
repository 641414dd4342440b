package io.bloomguard.redis.internal.partition;

import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.client.Utf8;
import io.bloomguard.redis.internal.image.ForeignHead;
import io.bloomguard.redis.internal.image.HashScheme;
import io.bloomguard.redis.internal.image.Lineage;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisHead.Condition;
import io.bloomguard.redis.internal.image.RedisImage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import java.util.function.ObjLongConsumer;

/** This node's view of the head of one partition, read again when it is out of date. */
public final class PartitionHead {

  /** The pause after a reading that changed nothing: doubt must not double the load. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final LuaScript DISOWN = LuaScript.of(PartitionHead.class, "disown");

  private final RedisLink requests;
  private final PartitionKeys keys;
  private final Fingerprint own;
  private final LongPredicate isBehind;
  private final ReentrantLock reading = new ReentrantLock();
  private final ObjLongConsumer<String> losses;
  private volatile RedisHead head = RedisHead.of(Condition.UNREAD);
  private volatile HashScheme.Mark mark;
  private volatile long quietUntil = System.nanoTime();

  private volatile Seen seen = new Seen("", 0);

  /** The lineage that this process believes, and the least number of swaps. */
  private volatile Lineage known = Lineage.NONE;

  /** Whether the partition was met in place of the known one, and is not yet believed. */
  private volatile boolean foreign;

  /** Whether another lineage was met since that was last asked. */
  private final AtomicBoolean met = new AtomicBoolean();

  /**
   * Creates a view of a head that was never read.
   *
   * @param isBehind whether this process has still to add its own adds again after some losses;
   *     other processes may have recovered from a loss unknown to this one
   * @param losses told of the loss epoch of each head that was read at the server that made it
   */
  PartitionHead(
      RedisLink requests,
      PartitionKeys keys,
      Fingerprint own,
      LongPredicate isBehind,
      ObjLongConsumer<String> losses) {
    this.losses = losses;
    this.requests = requests;
    this.isBehind = isBehind;
    this.keys = keys;
    this.own = own;
    this.mark = HashScheme.Mark.of(HashScheme.of(own));
  }

  /** The head as last read, or one that was never read. */
  public RedisHead last() {
    return head;
  }

  /** Sets the mark that the head may have from now on. */
  public void mark(HashScheme.Mark other) {
    mark = other;
  }

  /** The scheme in a head made by this process, with the mark of a known migration. */
  String scheme() {
    return mark.text();
  }

  /**
   * Reads the head again after {@code seen} was out of date: in one thread at a time, and not at
   * all for a while after a reading that changed nothing. Never throws.
   */
  @SuppressWarnings("ReferenceEquality") // another object: another thread has read it since
  public RedisHead refreshed(RedisHead seen) {
    if (head != seen || System.nanoTime() - quietUntil < 0) {
      return head;
    }
    Duration timeout = requests.timeout();
    if (!Attempts.isLocked(reading, timeout)) {
      return head;
    }
    try {
      if (head != seen || System.nanoTime() - quietUntil < 0) {
        return head;
      }
      RedisHead fresh = read(requests, timeout);
      if (fresh == seen) {
        quietUntil = System.nanoTime() + QUIET_NANOS;
      }
      return fresh;
    } catch (RedisUnavailableException e) {
      quietUntil = System.nanoTime() + QUIET_NANOS;
      if (e.getCause() instanceof TimeoutException) {
        requests.unanswered();
      }
      return head;
    } finally {
      reading.unlock();
    }
  }

  /**
   * Reads the head now.
   *
   * @throws RedisUnavailableException if it cannot be read
   */
  public RedisHead read(RedisLink link, Duration timeout) {
    Seen before = seen();
    Lineage knownBefore = known;
    RedisHead fresh = fetchDisowning(link, timeout);
    reading.lock();
    try {
      return install(fresh, before, knownBefore);
    } finally {
      reading.unlock();
    }
  }

  /**
   * Reads the head before a change to it.
   *
   * @throws StoreUnavailableException if it is foreign or cannot be read
   */
  public RedisHead usable(RedisLink link) {
    RedisHead view = read(link, link.timeout());
    if (view.condition() == Condition.FOREIGN || view.condition() == Condition.MOVED) {
      throw foreign(view);
    }
    return view;
  }

  /** The exception for a filter of another scheme. */
  StoreUnavailableException foreign(RedisHead view) {
    return new StoreUnavailableException(
        "Filter '" + own.filter() + "': " + difference(view), null);
  }

  /** The explanation of a foreign head, with its remedy. */
  public String difference(RedisHead view) {
    return ForeignHead.message(ForeignHead.differences(view, own));
  }

  /** Keeps the held object if both are equal. */
  private RedisHead install(RedisHead fresh, Seen before, Lineage knownBefore) {
    RedisHead trusted = familiar(notOlder(fresh, before), knownBefore);
    trusted.saw(seen.beat);
    if (trusted.same(head)) {
      head.saw(seen.beat);
      return head;
    }
    head = trusted;
    return trusted;
  }

  /** Distrusts a head of another lineage, or of fewer swaps, than an earlier one. */
  private RedisHead familiar(RedisHead fresh, Lineage knownBefore) {
    Lineage there = fresh.lineage();
    if (!fresh.valid()) {
      return fresh;
    }
    Lineage successor = there.successorOf(known);
    if (successor != null) {
      meets(successor);
    }
    if (there.continues(known)) {
      known = there;
      foreign = false;
      return fresh;
    }
    return there.continues(knownBefore) ? fresh : fresh.inDoubt();
  }

  /** Distrusts a head that is older than an earlier one of its server: that head was put back. */
  private RedisHead notOlder(RedisHead fresh, Seen before) {
    if (fresh.condition() == Condition.MOVED) {
      // If the image seen here comes back, it lacks the adds since.
      Seen now = seen();
      seen = new Seen(now.server, now.beat + 1);
    }
    if (!fresh.valid()) {
      return fresh;
    }
    String server = fresh.trust().server();
    if (server.equals(requests.server())) {
      losses.accept(server, fresh.trust().losses());
    }
    Seen now = seen();
    long beat = Math.max(fresh.beat(), now.server.equals(server) ? now.beat : 0);
    seen = new Seen(server, beat);
    boolean older = before.server.equals(server) && fresh.beat() < before.beat;
    return older || isBehind.test(fresh.trust().losses()) ? fresh.inDoubt() : fresh;
  }

  /**
   * Whether this process has still to meet a head, which belongs to another partition than the one
   * that it knows, or has no lineage. One that was met, and that denies no key until its next
   * generation, is not met again.
   */
  boolean isUnmet(RedisHead view) {
    Lineage there = view.lineage();
    boolean waits =
        there.id().equals(known.id()) && (view.serving() == null || view.trust().rebuild());
    return view.valid() && (there.id().isEmpty() || !there.continues(known) && !waits);
  }

  /** Whether this process awaits a new generation in a partition that it has met. */
  public boolean isForeign() {
    return foreign;
  }

  /** Whether another lineage was met since the last call. */
  public boolean takeMet() {
    return met.getAndSet(false);
  }

  /** The arguments of {@code meet.lua}. */
  List<Object> meeting() {
    return List.of(known.id(), known.swaps(), UUID.randomUUID().toString());
  }

  /** The lineages that a head made by this process succeeds, as {@code meet.lua} keeps them. */
  String succeeded() {
    Lineage now = known;
    return now.id().isEmpty() ? "" : now.id() + "/" + now.swaps() + "@1";
  }

  /** Believes a lineage from here on, once it has so many swaps. */
  void meets(Lineage other) {
    if (!known.id().isEmpty()) {
      foreign = true;
      if (!other.id().equals(known.id())) {
        met.set(true);
      }
    }
    known = other;
  }

  /** The newest beat seen so far, those of checks and adds included. */
  private Seen seen() {
    Seen noted = seen;
    RedisHead now = head;
    RedisImage serving = now.serving();
    if (serving == null || !now.trust().server().equals(noted.server)) {
      return noted;
    }
    long beat = serving.beat();
    return beat > noted.beat ? new Seen(noted.server, beat) : noted;
  }

  /** The highest beat that a server has shown; 0 if none is known. Takes no lock. */
  public long seenAt(String server) {
    Seen now = seen();
    return now.server.equals(server) ? now.beat : 0;
  }

  /** Believes no head from before the one that was known under another scheme. */
  public void inheritFrom(PartitionHead other) {
    known = other.known;
  }

  /**
   * Fetches the head. A head that does not know the image that this process has seen serving was
   * put back, and adds no longer reach that image. This removes the image before adds go to
   * another, so that a process with the older head in memory does not trust it.
   */
  private RedisHead fetchDisowning(RedisLink link, Duration timeout) {
    RedisImage known = head.serving();
    RedisHead fresh = fetch(link, timeout);
    if (known != null && fresh.valid() && fresh.last() < known.generation()) {
      DISOWN.start(link, List.of(keys.head(), known.key()), known.generation()).await(timeout);
    }
    return fresh;
  }

  private RedisHead fetch(RedisLink link, Duration timeout) {
    RedisHead there = fetch(link, timeout, keys.head());
    if (!keys.arriving() && mark.isOther('<', there.scheme())) {
      // Redis went back to before the scheme's arrival.
      keys.setArriving(true);
      there = fetch(link, timeout, keys.head());
    }
    if (!there.valid() && keys.arriving()) {
      RedisHead current = fetch(link, timeout, keys.current().head());
      if (HashScheme.Mark.parse(current.scheme()).own().equals(RedisHead.scheme(own))) {
        keys.setArriving(false);
        return current;
      }
    }
    return there;
  }

  private RedisHead fetch(RedisLink link, Duration timeout, byte[] key) {
    Map<byte[], byte[]> raw;
    try {
      raw = Replies.await(link.call(c -> c.hgetall(key)), timeout);
    } catch (RedisUnavailableException e) {
      if (e.isWrongType()) {
        return RedisHead.of(Condition.DAMAGED);
      }
      throw e;
    }
    link.breaker().answered();
    Map<String, String> fields = new TreeMap<>();
    if (raw != null) {
      raw.forEach((name, value) -> fields.put(Utf8.text(name), Utf8.text(value)));
    }
    return RedisHead.parse(fields, keys, own, mark);
  }

  /** The highest beat that a server has shown. */
  private record Seen(String server, long beat) {}
}
