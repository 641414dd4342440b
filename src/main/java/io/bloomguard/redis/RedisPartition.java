package io.bloomguard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.Fingerprint;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.RedisHead.Condition;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One partition of a filter: this node's view of its head, and the scripts on its keys. */
final class RedisPartition {

  /** How long a write may take; much longer than a check, because it cannot be left out. */
  static final Duration WRITE_TIMEOUT = Duration.ofSeconds(1);

  /** Keys in one script, so that no script blocks Redis for more than a few milliseconds. */
  static final int ADD_CHUNK = 200;

  /** A view that did not help is not read again for so long: doubt must not double the load. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final int ATTEMPTS = 8;
  private static final Logger log = LoggerFactory.getLogger(RedisPartition.class);
  private static final LuaScript ADD = LuaScript.of("add");
  private static final LuaScript CREATE = LuaScript.of("create");
  private static final LuaScript ROLLBACK = LuaScript.of("rollback");
  private static final LuaScript MAINTAIN = LuaScript.of("maintain");

  private final RedisConnections connections;
  private final PartitionKeys keys;
  private final Fingerprint own;
  private final Duration retention;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile RedisHead head = RedisHead.of(Condition.UNREAD);
  private volatile long quietUntil = System.nanoTime();
  private volatile boolean warned;

  RedisPartition(
      RedisConnections connections, PartitionKeys keys, Fingerprint own, Duration retention) {
    this.connections = connections;
    this.keys = keys;
    this.own = own;
    this.retention = retention;
  }

  PartitionKeys keys() {
    return keys;
  }

  /** What this node expects of an image's fingerprint, its own shape included. */
  Fingerprint own() {
    return own;
  }

  Duration retention() {
    return retention;
  }

  /** The head as last read; perhaps never. */
  RedisHead head() {
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
    Duration timeout = connections.requests().timeout();
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
      RedisHead fresh = fetch(connections.requests(), timeout);
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
      log.warn(
          "Filter '{}' in Redis was built with another hash secret, hash or partition count;"
              + " every answer is UNKNOWN until the configurations agree",
          own.filter());
    }
    RedisImage serving = fresh.serving();
    if (serving != null && !serving.fingerprint().shape().equals(own.shape())) {
      warned = true;
      log.warn(
          "Filter '{}' in Redis has the shape {}, but {} is configured; the one in Redis is followed"
              + " until the next rebuild",
          own.filter(),
          serving.fingerprint().shape(),
          own.shape());
    }
  }

  /**
   * Adds hashes to every image that takes adds, and to the journal.
   *
   * @return how many changed a bit of the serving image, or of the one built where none serves
   * @throws AddFailedException if they could not be stored
   */
  int add(List<Long> hashes) {
    int changed = 0;
    for (int from = 0; from < hashes.size(); from += ADD_CHUNK) {
      changed += addChunk(hashes.subList(from, Math.min(hashes.size(), from + ADD_CHUNK)));
    }
    return changed;
  }

  private int addChunk(List<Long> hashes) {
    RedisLink link = connections.requests();
    try {
      RedisHead view = head.valid() ? head : read(link, WRITE_TIMEOUT);
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (view.condition() == Condition.MISSING) {
          create(link, WRITE_TIMEOUT, "keep");
          view = read(link, WRITE_TIMEOUT);
        }
        if (!view.valid()) {
          throw new AddFailedException(message("its head in Redis is " + view.condition()), null);
        }
        LuaScript.Reply reply = sendAdd(link, view, hashes).await(WRITE_TIMEOUT);
        if (reply.ok()) {
          return (int) reply.number(1);
        }
        if (reply.outcome().equals("damaged")) {
          throw new AddFailedException(message("its serving image in Redis is damaged"), null);
        }
        view = read(link, WRITE_TIMEOUT);
      }
    } catch (RedisUnavailableException e) {
      throw new AddFailedException(message(String.valueOf(e.getMessage())), e);
    }
    throw new AddFailedException(message("its generations changed again and again"), null);
  }

  private LuaScript.Call sendAdd(RedisLink link, RedisHead view, List<Long> hashes) {
    List<byte[]> names = new ArrayList<>(List.of(keys.head(), keys.journal()));
    List<Object> args = new ArrayList<>();
    ByteBuffer journalled = ByteBuffer.allocate(hashes.size() * Long.BYTES);
    hashes.forEach(journalled::putLong);
    args.addAll(
        List.of(view.view(), retention.toMillis(), journalled.array(), (long) hashes.size()));
    addImage(names, args, "serving", view.serving(), ImageState.READY, hashes);
    addImage(names, args, "building", view.building(), ImageState.BUILDING, hashes);
    addImage(names, args, "previous", view.previous(), ImageState.RETIRED, hashes);
    return ADD.start(link, names, args.toArray());
  }

  private static void addImage(
      List<byte[]> names,
      List<Object> args,
      String role,
      @Nullable RedisImage image,
      ImageState state,
      List<Long> hashes) {
    if (image != null) {
      names.add(image.key());
      args.add(role);
      args.add(image.sealBytes(state));
      args.add(image.lastWord() * Long.BYTES);
      args.add(image.offsetsPerKey());
      args.add(image.offsets(hashes));
    }
  }

  /**
   * Makes sure that there is a head.
   *
   * @param mode {@code keep} a good one, or {@code replace} what is damaged
   */
  void create(RedisLink link, Duration timeout, String mode) {
    List<byte[]> names = new ArrayList<>(List.of(keys.head()));
    ScanArgs args = ScanArgs.Builder.matches(keys.images()).limit(1000);
    ScanCursor cursor = ScanCursor.INITIAL;
    do {
      ScanCursor from = cursor;
      KeyScanCursor<byte[]> page = RedisLink.await(link.call(c -> c.scan(from, args)), timeout);
      if (page == null) {
        break;
      }
      names.addAll(page.getKeys());
      cursor = page;
    } while (!cursor.isFinished());
    CREATE.start(link, names, mode).await(timeout);
  }

  /** Serves the previous image again; false where there is none, or it is not whole. */
  boolean rollback() {
    RedisLink link = connections.builds();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      RedisHead view = read(link, link.timeout());
      RedisImage serving = view.serving();
      RedisImage previous = view.previous();
      if (serving == null || previous == null) {
        return false;
      }
      LuaScript.Reply reply =
          ROLLBACK.run(
              link,
              List.of(keys.head(), serving.key(), previous.key()),
              view.view(),
              serving.sealBytes(ImageState.READY),
              serving.lastWord() * Long.BYTES,
              serving.header(ImageState.RETIRED),
              serving.trailer(ImageState.RETIRED),
              serving.trailerOffset(),
              previous.sealBytes(ImageState.RETIRED),
              previous.lastWord() * Long.BYTES,
              previous.header(ImageState.READY),
              previous.trailer(ImageState.READY),
              previous.trailerOffset());
      read(link, link.timeout());
      if (!reply.outcome().equals("reread")) {
        return reply.ok();
      }
    }
    return false;
  }

  /** Drops what is kept longer than the retention, and follows the head. */
  void maintain() {
    RedisLink link = connections.builds();
    RedisHead view = read(link, link.timeout());
    if (!view.valid()) {
      return;
    }
    RedisImage previous = view.previous();
    byte[] dropped = previous == null ? keys.head() : previous.key();
    MAINTAIN.run(
        link, List.of(keys.head(), keys.journal(), dropped), view.view(), retention.toMillis());
    read(link, link.timeout());
  }

  private String message(String why) {
    return "Filter '" + own.filter() + "' could not take an add: " + why;
  }
}
