package io.bloomguard.redis;

import io.bloomguard.filter.Fingerprint;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.RedisHead.Condition;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.SetArgs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One partition of a filter: its head, its adds, and what else is done to its keys. */
final class RedisPartition {

  /** Keys in one script, so that no script blocks Redis for more than a few milliseconds. */
  static final int ADD_CHUNK = 200;

  private static final int ATTEMPTS = 8;
  private static final byte[] REQUESTED = {'1'};
  private static final LuaScript ADD = LuaScript.of("add");
  private static final LuaScript CREATE = LuaScript.of("create");
  private static final LuaScript ROLLBACK = LuaScript.of("rollback");
  private static final LuaScript MAINTAIN = LuaScript.of("maintain");

  private final RedisConnections connections;
  private final PartitionKeys keys;
  private final Fingerprint own;
  private final Duration retention;
  private final RedisSecret secret;
  private final @Nullable PartitionReplica replica;
  private final PartitionHead head;
  private final SharedChecks checks;

  RedisPartition(
      RedisConnections connections,
      PartitionKeys keys,
      Fingerprint own,
      Duration retention,
      RedisSecret secret,
      @Nullable PartitionReplica replica) {
    this.connections = connections;
    this.keys = keys;
    this.own = own;
    this.retention = retention;
    this.secret = secret;
    this.replica = replica;
    this.head = new PartitionHead(connections.requests(), keys, own);
    this.checks = new SharedChecks(head, connections.requests());
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

  /** This process' copy of the serving image, null for none. */
  @Nullable PartitionReplica replica() {
    return replica;
  }

  /** What the serving image says of a hash. Never throws. */
  Membership check(long hash) {
    Membership known = known(hash);
    return known == Membership.UNKNOWN ? checks.check(hash) : known;
  }

  /** What is known of a hash without asking Redis; {@link Membership#UNKNOWN} for nothing. */
  Membership known(long hash) {
    return replica == null ? Membership.UNKNOWN : replica.check(hash);
  }

  /** The head as last read; perhaps never. */
  RedisHead head() {
    return head.last();
  }

  /** The head after {@code seen} did not help. Never throws. */
  RedisHead refreshed(RedisHead seen) {
    return head.refreshed(seen);
  }

  /**
   * Reads the head now.
   *
   * @throws RedisUnavailableException if it cannot be read
   */
  RedisHead read(RedisLink link, Duration timeout) {
    return head.read(link, timeout);
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
      RedisHead view = head().valid() ? head() : read(link, RedisConnections.WRITE);
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (view.condition() == Condition.MISSING) {
          create(link, RedisConnections.WRITE, "keep");
          view = read(link, RedisConnections.WRITE);
        }
        if (view.condition() == Condition.FOREIGN) {
          throw new AddFailedException(message(PartitionHead.FOREIGN), null);
        }
        if (!view.valid()) {
          throw new AddFailedException(message("its head in Redis is " + view.condition()), null);
        }
        LuaScript.Reply reply = sendAdd(link, view, hashes).await(RedisConnections.WRITE);
        if (reply.ok()) {
          if (replica != null) {
            replica.add(hashes);
          }
          return (int) reply.number(1);
        }
        if (reply.outcome().equals("damaged")) {
          throw new AddFailedException(message("its serving image in Redis is damaged"), null);
        }
        view = read(link, RedisConnections.WRITE);
      }
    } catch (StoreUnavailableException e) {
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
   * Makes sure that there is a head, and in Redis the secret that belongs to it.
   *
   * @param mode {@code keep} what has the marks of a head, or {@code replace} it; the latter only
   *     by whoever holds the build's lock, for what was damaged may have been replaced already
   * @throws StoreUnavailableException if Redis holds another secret, or does not answer
   */
  void create(RedisLink link, Duration timeout, String mode) {
    if (!secret.keep(link, timeout)) {
      throw new StoreUnavailableException(
          "Redis holds another hash secret. " + RedisSecret.REMEDY, null);
    }
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
    CREATE.start(link, names, mode, RedisHead.hashing(own)).await(timeout);
  }

  /**
   * Reads the head for what changes it.
   *
   * @throws StoreUnavailableException if it is foreign or cannot be read
   */
  RedisHead usable(RedisLink link) {
    RedisHead view = read(link, link.timeout());
    if (view.condition() == Condition.FOREIGN) {
      throw new StoreUnavailableException(
          "Filter '" + own.filter() + "': " + PartitionHead.FOREIGN, null);
    }
    return view;
  }

  /** Serves the previous image again; false where there is none, or it is not whole. */
  boolean rollback() {
    RedisLink link = connections.builds();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      RedisHead view = usable(link);
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

  /** As {@link io.bloomguard.generation.GenerationStore#cooldown}. */
  Duration cooldown() {
    RedisLink link = connections.builds();
    link.awaitConnected(RedisConnections.CONNECT);
    Long left = link.await(link.call(c -> c.pttl(keys.requested())));
    return left == null || left < 0 ? Duration.ZERO : Duration.ofMillis(Math.max(1, left));
  }

  /** As {@link io.bloomguard.generation.GenerationStore#startCooldown}. */
  Duration startCooldown(Duration length) {
    if (length.toMillis() < 1) {
      return Duration.ZERO;
    }
    RedisLink link = connections.builds();
    SetArgs args = SetArgs.Builder.nx().px(length.toMillis());
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (link.await(link.call(c -> c.set(keys.requested(), REQUESTED, args))) != null) {
        return Duration.ZERO;
      }
      Duration left = cooldown();
      if (!left.isZero()) {
        return left;
      }
      // It ended between the two commands.
    }
    throw new RedisUnavailableException("Redis neither has the cooldown's key nor takes it", null);
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
