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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One partition of a filter: its head, its adds, and what else is done to its keys. */
final class RedisPartition {

  /** Keys in one script, so that no script blocks Redis for more than a few milliseconds. */
  static final int ADD_CHUNK = 200;

  private static final int ATTEMPTS = 8;
  private static final byte[] REQUESTED = {'1'};
  private static final LuaScript ADD = LuaScript.ofPartition("add");
  private static final LuaScript CREATE = LuaScript.of("create");
  private static final LuaScript ROLLBACK = LuaScript.ofPartition("rollback");
  private static final LuaScript MAINTAIN = LuaScript.ofPartition("maintain");

  /** Of the filter; the first says which hashing it has, partition count included. */
  private final RedisPartition[] all;

  private final RedisLink requests;
  private final RedisLink builds;
  private final PartitionKeys keys;
  private final Fingerprint own;
  private final Duration retention;
  private final RedisSecret secret;
  private final @Nullable PartitionReplica replica;
  private final PartitionHead head;
  private final SharedChecks checks;
  private final PartitionWriter writer;
  private final ReentrantLock creating = new ReentrantLock();

  RedisPartition(
      RedisConnections connections,
      PartitionKeys keys,
      Fingerprint own,
      Duration retention,
      RedisSecret secret,
      Settling settling,
      Predicate<String> isUnderstood,
      RedisPartition[] all,
      @Nullable PartitionReplica replica) {
    this.all = all;
    this.requests = connections.requests(keys.head());
    this.builds = connections.builds(keys.head());
    this.keys = keys;
    this.own = own;
    this.retention = retention;
    this.secret = secret;
    this.replica = replica;
    this.writer = new PartitionWriter(this, settling);
    this.head = new PartitionHead(requests, keys, own, writer::isBehind, isUnderstood);
    this.checks = new SharedChecks(head, requests, this::reportOlder);
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

  /** The way of checks and adds. */
  RedisLink requests() {
    return requests;
  }

  /** The way of what no request waits for. */
  RedisLink builds() {
    return builds;
  }

  /** This process' copy of the serving image, null for none. */
  @Nullable PartitionReplica replica() {
    return replica;
  }

  /** What the serving image says of a hash. Never throws. */
  Membership check(long hash) {
    Membership known = known(hash);
    if (known != Membership.UNKNOWN) {
      return known;
    }
    return answers() ? checks.check(hash) : Membership.UNKNOWN;
  }

  /** What is known of a hash without asking Redis; {@link Membership#UNKNOWN} for nothing. */
  Membership known(long hash) {
    return replica == null ? Membership.UNKNOWN : replica.check(hash);
  }

  /** Whether checks are answered here: not by a hashing before it has arrived. Never throws. */
  boolean answers() {
    if (keys.arriving() && !requests.breaker().isOpen()) {
      head.refreshed(head.last());
    }
    return !keys.arriving();
  }

  /** Says which hashing besides its own the head may name from now on. */
  void pair(Hashing.Pair other) {
    head.pair(other);
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
    if (hashes.isEmpty()) {
      return 0;
    }
    writer.enter();
    writer.adds().remember(hashes);
    return send(hashes, "serving", 0);
  }

  /** Adds what may have been lost: to what is being built too where nothing serves any more. */
  void addAgain(List<Long> hashes, long losses) {
    send(hashes, "kept", losses);
  }

  private int send(List<Long> hashes, String role, long losses) {
    int changed = 0;
    for (int from = 0; from < hashes.size(); from += ADD_CHUNK) {
      changed +=
          sendChunk(hashes.subList(from, Math.min(hashes.size(), from + ADD_CHUNK)), role, losses);
    }
    return changed;
  }

  private int sendChunk(List<Long> hashes, String role, long losses) {
    try {
      RedisHead view = head().valid() ? head() : read(requests, RedisConnections.WRITE);
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (view.condition() == Condition.MISSING) {
          create(requests, RedisConnections.WRITE, "keep");
          view = read(requests, RedisConnections.WRITE);
        }
        if (view.condition() == Condition.MOVED) {
          // Nobody is answered from here any more, but for a moment by this process' own copy.
          if (replica != null) {
            replica.add(hashes);
          }
          return 0;
        }
        if (view.condition() == Condition.FOREIGN) {
          throw new AddFailedException(message(PartitionHead.FOREIGN), null);
        }
        if (!view.valid()) {
          throw new AddFailedException(message("its head in Redis is " + view.condition()), null);
        }
        LuaScript.Reply reply = startAdd(view, hashes, role, losses).await(RedisConnections.WRITE);
        if (reply.ok()) {
          view.saw(reply.number(2));
          if (replica != null) {
            replica.add(hashes);
          }
          return (int) reply.number(1);
        }
        if (reply.outcome().equals("damaged")) {
          throw new AddFailedException(
              message(
                  "its serving image in Redis is damaged; a rebuild replaces it, and a filter without"
                      + " a source begins anew once its keys in Redis are deleted"),
              null);
        }
        view = read(requests, RedisConnections.WRITE);
        if (losses != 0 && view.trust().losses() != losses) {
          throw new LostAgainException();
        }
      }
    } catch (StoreUnavailableException e) {
      throw new AddFailedException(message(String.valueOf(e.getMessage())), e);
    }
    throw new AddFailedException(message("its generations changed again and again"), null);
  }

  private LuaScript.Call startAdd(RedisHead view, List<Long> hashes, String role, long losses) {
    ByteBuffer journalled = ByteBuffer.allocate(hashes.size() * Long.BYTES);
    hashes.forEach(journalled::putLong);
    List<Object> args = new ArrayList<>();
    args.addAll(
        List.of(
            retention.toMillis(),
            journalled.array(),
            (long) hashes.size(),
            losses == 0 ? "" : losses));
    addImage(args, role, view.serving(), ImageState.READY, 3, hashes);
    addImage(args, "kept", view.building(), ImageState.BUILDING, 4, hashes);
    addImage(args, "kept", view.previous(), ImageState.RETIRED, 5, hashes);
    return start(ADD, requests, view, List.of(), args.toArray());
  }

  private static void addImage(
      List<Object> args,
      String role,
      @Nullable RedisImage image,
      ImageState state,
      int place,
      List<Long> hashes) {
    if (image != null) {
      args.add(role);
      args.add(place);
      args.add(image.sealBytes(state));
      args.add(image.lastWord() * Long.BYTES);
      args.add(image.offsetsPerKey());
      args.add(image.offsets(hashes));
    }
  }

  /**
   * Sends a script that begins with {@code partition.lua}.
   *
   * @param more keys after those that every such script has
   */
  LuaScript.Call start(
      LuaScript script, RedisLink link, RedisHead view, List<byte[]> more, Object... arguments) {
    List<byte[]> names =
        new ArrayList<>(
            List.of(
                keys.head(),
                keys.journal(),
                key(view.serving()),
                key(view.building()),
                key(view.previous())));
    names.addAll(more);
    String server = link.server();
    List<Object> all =
        new ArrayList<>(List.of(view.view(), server, head.seenAt(server), writer.settledFor()));
    all.addAll(Arrays.asList(arguments));
    return script.start(link.only(server), names, all.toArray());
  }

  private byte[] key(@Nullable RedisImage image) {
    return image == null ? keys.head() : image.key();
  }

  /** An image that is older than one seen before: the next script notes that something was lost. */
  void reportOlder() {
    RedisHead view = head();
    if (view.valid()) {
      start(MAINTAIN, requests, view, List.of(), retention.toMillis());
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
    if (keys.arriving()) {
      // Only the change makes it, in one step with the mark that leads every add to it.
      throw new StoreUnavailableException("Its head for the next hashing is missing", null);
    }
    if (own.partition() != 0) {
      all[0].require(timeout);
    } else {
      requireNoOther(timeout);
    }
    // The search for leftovers goes through all keys of the server: once is enough.
    creating.lock();
    try {
      if (mode.equals("replace") || !read(link, timeout).valid()) {
        createNow(link, timeout, mode);
      }
    } finally {
      creating.unlock();
    }
  }

  private void createNow(RedisLink link, Duration timeout, String mode) {
    if (!secret.keep(timeout)) {
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
    String server = link.server();
    CREATE.start(link.only(server), names, mode, head.hashing(), server).await(timeout);
  }

  /** Makes sure that the filter is not of another hashing, of which this partition was lost. */
  private void requireNoOther(Duration timeout) {
    for (int i = 1; i < all.length; i++) {
      if (all[i].read(all[i].requests, timeout).condition() == Condition.FOREIGN) {
        throw new StoreUnavailableException(message(PartitionHead.FOREIGN), null);
      }
    }
  }

  /** Makes sure that the filter has this hashing. */
  private void require(Duration timeout) {
    if (read(requests, timeout).condition() == Condition.MISSING) {
      create(requests, timeout, "keep");
    }
    if (!usable(requests).valid()) {
      throw new StoreUnavailableException("The head of its partition 0 is damaged", null);
    }
  }

  /**
   * Reads the head for what changes it.
   *
   * @throws StoreUnavailableException if it is foreign or cannot be read
   */
  RedisHead usable(RedisLink link) {
    RedisHead view = read(link, link.timeout());
    if (view.condition() == Condition.FOREIGN || view.condition() == Condition.MOVED) {
      throw new StoreUnavailableException(
          "Filter '" + own.filter() + "': " + PartitionHead.FOREIGN, null);
    }
    return view;
  }

  /**
   * Serves the previous image again if that of generation {@code from} serves; false where there is
   * none, or it is not whole.
   */
  boolean rollback(long from) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      RedisHead view = usable(builds);
      RedisImage serving = view.serving();
      RedisImage previous = view.previous();
      if (serving != null && serving.generation() != from) {
        return true; // another's step, or an earlier attempt whose answer was lost
      }
      if (serving == null || previous == null) {
        return false;
      }
      List<Object> args = new ArrayList<>(serving.change(ImageState.READY, ImageState.RETIRED));
      args.addAll(previous.change(ImageState.RETIRED, ImageState.READY));
      LuaScript.Reply reply =
          start(ROLLBACK, builds, view, List.of(), args.toArray()).await(builds.timeout());
      read(builds, builds.timeout());
      if (!reply.outcome().equals("reread")) {
        return reply.ok();
      }
    }
    return false;
  }

  /** As {@link io.bloomguard.generation.GenerationStore#cooldown}. */
  Duration cooldown() {
    builds.awaitConnected(RedisConnections.CONNECT);
    Long left = builds.await(builds.call(c -> c.pttl(keys.requested())));
    return left == null || left < 0 ? Duration.ZERO : Duration.ofMillis(Math.max(1, left));
  }

  /** As {@link io.bloomguard.generation.GenerationStore#startCooldown}. */
  Duration startCooldown(Duration length) {
    if (length.toMillis() < 1) {
      return Duration.ZERO;
    }
    SetArgs args = SetArgs.Builder.nx().px(length.toMillis());
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (builds.await(builds.call(c -> c.set(keys.requested(), REQUESTED, args))) != null) {
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

  /**
   * Follows the head, gives a sign of life, drops what is kept longer than the retention, and adds
   * again what Redis has lost.
   */
  void maintain() {
    requests.verify();
    builds.verify();
    RedisHead view = read(requests, RedisConnections.WRITE);
    if (!view.valid()) {
      return;
    }
    writer.settle();
    view = head();
    start(MAINTAIN, requests, view, List.of(), retention.toMillis()).await(RedisConnections.WRITE);
    read(requests, RedisConnections.WRITE);
  }

  /** Adds again what Redis has lost, if anything, and reports it. */
  void settle() {
    writer.settle();
  }

  /** Notes a beat that a server has shown, so that nobody here believes a lower one. */
  void saw(String server, long beat) {
    RedisHead now = head();
    if (now.trust().server().equals(server)) {
      now.saw(beat);
    }
  }

  /** The number of the newest generation that was seen. */
  long newestGeneration() {
    return Math.max(writer.newestGeneration(), head().last());
  }

  /** There was a generation of that number: a head that has only older ones was put back. */
  void knowsGeneration(long number) {
    writer.knowsGeneration(number);
  }

  /** How far it was when it was last seen. */
  PartitionHead.Seen seen() {
    return head.seen();
  }

  /** Nothing is to be believed here that is not later. */
  void expectLater(PartitionHead.Seen before) {
    head.expectLater(before);
  }

  /** The highest beat that a server has shown; 0 if nothing is known of it. */
  long seenAt(String server) {
    return head.seenAt(server);
  }

  /** Leaves the list of writers. Never throws. */
  void leave() {
    writer.leave();
  }

  private String message(String why) {
    return "Filter '" + own.filter() + "' could not take an add: " + why;
  }
}
