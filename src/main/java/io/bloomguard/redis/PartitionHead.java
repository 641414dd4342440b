package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Fingerprint;
import io.bloomguard.redis.RedisHead.Condition;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node's view of the head of one partition, read anew when it no longer helps. */
final class PartitionHead {

  /** A view that did not help is not read again for so long: doubt must not double the load. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** What a foreign head is, and what to do about it. */
  static final String FOREIGN =
      "the one in Redis was built with another hash secret, hash or partition count; use the same on"
          + " every node (bloomguard.hash-secret), or another key prefix, or delete the filter's keys"
          + " if no process uses them any more";

  private static final Logger log = LoggerFactory.getLogger(PartitionHead.class);

  private final RedisLink requests;
  private final PartitionKeys keys;
  private final Fingerprint own;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile RedisHead head = RedisHead.of(Condition.UNREAD);
  private volatile long quietUntil = System.nanoTime();
  private volatile boolean warned;

  PartitionHead(RedisLink requests, PartitionKeys keys, Fingerprint own) {
    this.requests = requests;
    this.keys = keys;
    this.own = own;
  }

  /** The head as last read; perhaps never. */
  RedisHead last() {
    return head;
  }

  /**
   * The head after {@code seen} did not help: read again by one thread at a time, and not at all
   * for a while after a reading that changed nothing. Never throws.
   */
  @SuppressWarnings("ReferenceEquality") // another object: somebody has read it since
  RedisHead refreshed(RedisHead seen) {
    if (head != seen || System.nanoTime() - quietUntil < 0) {
      return head;
    }
    Duration timeout = requests.timeout();
    try {
      if (!reading.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
        return head;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return head;
    }
    try {
      if (head != seen || System.nanoTime() - quietUntil < 0) {
        return head;
      }
      RedisHead fresh = fetch(requests, timeout);
      if (fresh.same(seen)) {
        quietUntil = System.nanoTime() + QUIET_NANOS;
      }
      return install(fresh);
    } catch (RedisUnavailableException e) {
      quietUntil = System.nanoTime() + QUIET_NANOS;
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
  RedisHead read(RedisLink link, Duration timeout) {
    RedisHead fresh = fetch(link, timeout);
    reading.lock();
    try {
      return install(fresh);
    } finally {
      reading.unlock();
    }
  }

  /** Keeps the object that is held where it says the same. */
  private RedisHead install(RedisHead fresh) {
    if (fresh.same(head)) {
      return head;
    }
    warn(fresh);
    head = fresh;
    return fresh;
  }

  private RedisHead fetch(RedisLink link, Duration timeout) {
    Map<byte[], byte[]> raw;
    try {
      raw = RedisLink.await(link.call(c -> c.hgetall(keys.head())), timeout);
    } catch (RedisUnavailableException e) {
      if (wrongType(e)) {
        return RedisHead.of(Condition.DAMAGED);
      }
      throw e;
    }
    Map<String, String> fields = new TreeMap<>();
    if (raw != null) {
      raw.forEach((name, value) -> fields.put(new String(name, UTF_8), new String(value, UTF_8)));
    }
    return RedisHead.parse(fields, keys, own);
  }

  private static boolean wrongType(RedisUnavailableException e) {
    return e.getCause() instanceof RedisCommandExecutionException cause
        && String.valueOf(cause.getMessage()).startsWith("WRONGTYPE");
  }

  private void warn(RedisHead fresh) {
    if (warned) {
      return;
    }
    if (fresh.condition() == Condition.FOREIGN) {
      warned = true;
      log.warn("Filter '{}' is UNKNOWN to this process: {}", own.filter(), FOREIGN);
    }
    RedisImage serving = fresh.serving();
    if (serving != null && !serves(serving.fingerprint().shape(), own.shape())) {
      warned = true;
      log.warn(
          "Filter '{}' in Redis has the shape {}, but {} is configured; the one in Redis is followed"
              + " until the next rebuild",
          own.filter(),
          serving.fingerprint().shape(),
          own.shape());
    }
  }

  /** Whether an image does what is configured; a larger one does, and a grown filter is larger. */
  private static boolean serves(FilterShape image, FilterShape configured) {
    return image.layout() == configured.layout()
        && image.expectedInsertions() >= configured.expectedInsertions()
        && image.falsePositiveProbability() == configured.falsePositiveProbability();
  }
}
