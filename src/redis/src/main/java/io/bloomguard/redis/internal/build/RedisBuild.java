package io.bloomguard.redis.internal.build;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.KeySourceException;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.image.ImageSet;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisHead.Condition;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.CopyWait;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A generation being built: filled in this JVM's heap, or from an image set, and served.
 *
 * <p>No other build begins while this one holds the lock. A later holder of the lock gets a higher
 * fencing token, and Redis refuses every step of this build from then on. From the registration on,
 * adds go to the new image too. A bulk chunk may overwrite them there, so the journal is replayed
 * twice: once into the heap before the chunks are sent, and, from where that ended, once into the
 * image after the last of them.
 *
 * <p>Its images have a salt of their own, unless a process of a version takes part that knows none:
 * its adds would fail.
 */
public final class RedisBuild implements GenerationStore.Build {

  private static final Logger log = LoggerFactory.getLogger(RedisBuild.class);

  /** The longest wait of a finished generation for the end of a doubt, and the polling interval. */
  private static final Duration SETTLED = Duration.ofMinutes(1);

  private static final Duration POLL = Duration.ofMillis(100);

  private static final LuaScript REGISTER =
      RedisPartition.PREAMBLE.then(RedisBuild.class, "register");
  private static final LuaScript PUBLISH =
      RedisPartition.PREAMBLE.then(RedisBuild.class, "publish");
  private static final LuaScript ABANDON = LuaScript.of(RedisBuild.class, "abandon");

  private final Order order;
  private final BuildLock lock;

  /** In the order of their indexes. */
  private final List<ImageLoad> parts = new ArrayList<>();

  private final BuildContent content;

  /** Why it must deny no key; null if it may. */
  private @Nullable String doubt;

  /** When the last partition was registered, and since when every journal is whole. */
  private Instant registered = Instant.EPOCH;

  private Instant whole = Instant.EPOCH;
  private final List<CopyWait> swapped = new ArrayList<>();
  private @Nullable RunningBuild announced;
  private long begun;
  private BuildOrigin origin;
  private boolean ended;
  private Beforehand beforehand = waits -> () -> {};
  private Runnable afterwards = () -> {};

  /**
   * A build that was asked for.
   *
   * @param partitions all of the filter
   * @param built those of them that get the generation, in their order: all, or those that have
   *     lost theirs
   * @param shape of each
   * @param keepsPrevious whether the serving generation is kept for a rollback
   * @param set the image set that is loaded; null for keys
   */
  public record Order(
      String filter,
      RedisPartition[] partitions,
      List<RedisPartition> built,
      FilterShape shape,
      KeyHasher hasher,
      String run,
      Duration lockLifetime,
      RedisRebuildStatusStore board,
      BuildOrigin origin,
      boolean keepsPrevious,
      @Nullable ImageSet set) {}

  /**
   * A step that precedes the reading of the source, and answers what follows upon the publishing.
   */
  @FunctionalInterface
  public interface Beforehand {

    /**
     * @param waits whether adds that were acknowledged before and are in no journal must be in the
     *     source when this returns
     */
    Runnable run(boolean waits);
  }

  private RedisBuild(Order order, BuildLock lock) {
    this.order = order;
    this.origin = order.origin;
    this.lock = lock;
    long generation = 0;
    for (RedisPartition partition : order.partitions) {
      RedisHead head = partition.head().last();
      long next = order.built.contains(partition) ? head.last() + 1 : 0;
      long serving = head.serving() == null ? 0 : head.serving().generation();
      generation = Math.max(generation, Math.max(next, serving));
    }
    int count = order.partitions.length;
    long salt = salt(order);
    for (int i = 0; i < count; i++) {
      RedisPartition partition = order.partitions[i];
      Fingerprint fingerprint =
          Fingerprint.of(order.filter, order.shape, order.hasher, count, i).withSalt(salt);
      if (order.built.contains(partition)) {
        RedisImage image = new RedisImage(partition.keys(), generation, lock.token(), fingerprint);
        parts.add(new ImageLoad(partition, image));
      }
    }
    this.content =
        order.set == null ? new HeapContent(order, salt) : new SetContent(order, order.set, parts);
  }

  private static long salt(Order order) {
    boolean known = order.built.stream().allMatch(RedisPartition::knowsSalts);
    if (order.set == null) {
      return known ? BlockGeometry.drawSalt() : 0;
    }
    if (!known) {
      throw new KeySourceException(
          "A process of an earlier version takes part in filter '"
              + order.filter
              + "': it knows no image sets, and keeps no journal for them. Upgrade or stop it",
          null);
    }
    return order.set.plan().salt();
  }

  /** Takes the lock and registers the build in every partition that it builds. */
  public static RedisBuild begin(Order order) {
    for (RedisPartition partition : order.built) {
      partition.builds().awaitConnected(RedisConnections.CONNECT);
      partition.requests().awaitConnected(RedisConnections.CONNECT);
      prepare(partition, "keep");
    }
    BuildLock lock = lock(order);
    RedisBuild build;
    try {
      // Again: another build may have ended between the first reading and the lock.
      for (RedisPartition partition : order.built) {
        prepare(partition, "replace");
        partition.settle();
      }
      build = new RedisBuild(order, lock);
    } catch (Throwable e) {
      lock.release();
      throw e;
    }
    try {
      build.register();
    } catch (Throwable e) {
      build.close();
      throw e;
    }
    return build;
  }

  /** Reads the head, and creates a valid one if there is none. */
  private static RedisHead prepare(RedisPartition partition, String ifDamaged) {
    RedisLink link = partition.builds();
    RedisHead head = partition.head().usable(link);
    if (!head.valid()) {
      boolean damaged = head.condition() == Condition.DAMAGED;
      partition.create(link, link.timeout(), damaged ? ifDamaged : "keep");
      head = partition.head().usable(link);
    }
    return head;
  }

  private static BuildLock lock(Order order) {
    RedisPartition first = order.partitions[0];
    BuildLock lock =
        Attempts.of(
            () -> {
              prepare(first, "keep");
              return BuildLock.take(
                  order.filter, first, first.builds(), order.run, order.lockLifetime);
            });
    if (lock == null) {
      throw new IllegalStateException(
          "The head of filter '" + order.filter + "' in Redis is lost again and again");
    }
    return lock;
  }

  private void register() {
    for (ImageLoad part : parts) {
      if (!Attempts.until(() -> isRegistered(part))) {
        throw givenUp("another build began");
      }
    }
  }

  private boolean isRegistered(ImageLoad part) {
    RedisPartition partition = part.partition();
    RedisImage image = part.image();
    RedisHead view = prepare(partition, "replace");
    LuaScript.Reply reply =
        partition
            .start(
                REGISTER,
                part.link(),
                view,
                List.of(image.key()),
                image.id(),
                image.fingerprint().text(),
                lock.token(),
                image.header(ImageState.BUILDING),
                image.trailer(ImageState.BUILDING),
                image.trailerOffset(),
                partition.journal().span().toMillis())
            .await(part.link().timeout());
    if (reply.outcome() == ScriptOutcome.FENCED) {
      throw givenUp("another build began");
    }
    if (reply.ok()) {
      registered = Instant.ofEpochMilli(reply.number(1));
      hasAddsSince(Instant.ofEpochMilli(reply.number(2)));
      part.readHead();
    }
    return reply.ok();
  }

  /** Notes that adds from before a moment may have reached no journal of this scheme. */
  public void hasAddsSince(Instant moment) {
    whole = moment.isAfter(whole) ? moment : whole;
  }

  /**
   * Makes this build a step of something larger.
   *
   * @param before is awaited before the source is read
   */
  public RedisBuild within(Beforehand before) {
    beforehand = before;
    return this;
  }

  @Override
  public void awaitSource() {
    afterwards = beforehand.run(true);
  }

  /** The lock's owner: all processes know the run as soon as the lock is taken. */
  @Override
  public String run() {
    return lock.owner();
  }

  /** The fencing token, which its images have in their names. */
  public long token() {
    return lock.token();
  }

  @Override
  public void announce(RunningBuild build) {
    announced = build;
    lock.everySecond(() -> order.board.tell(lock.token(), run(), build));
  }

  @Override
  public void ended(RebuildReport report) {
    order.board.ended(lock.token(), report);
  }

  @Override
  public void follows(long begin) {
    begun = begin;
  }

  @Override
  public void comesFrom(@Nullable String identity) {
    origin = origin.from(identity == null ? "" : hashed(identity, order.hasher));
  }

  /** The identity of a database as the head has it: it tells no name. */
  public static String hashed(String identity, KeyHasher hasher) {
    return HexFormat.of().toHexDigits(hasher.hash(identity));
  }

  @Override
  public void addAll(String[] keys, int count) {
    requireLock();
    content.addAll(keys, count);
  }

  @Override
  public void addAll(long[] keys, int count) {
    requireLock();
    content.addAll(keys, count);
  }

  private void requireLock() {
    if (lock.lost()) {
      throw givenUp("its lock was lost");
    }
  }

  @Override
  public @Nullable String load(ImageSet.Files files, boolean complete) throws IOException {
    SetContent images = (SetContent) content;
    images.require(registered);
    afterwards = beforehand.run(complete);
    doubt = images.decideReplay(whole, complete);
    images.load(
        files,
        () -> {
          requireLock();
          requireNotCancelled();
        });
    return doubt;
  }

  @Override
  public void publish(long keysRead) {
    content.finish();
    for (ImageLoad part : parts) {
      requireNotCancelled();
      content.complete(part);
    }
    requireNotCancelled();
    // Partition 0 comes last: its script ends the lock.
    for (int i = parts.size() - 1; i >= 0; i--) {
      publish(parts.get(i), keysRead);
    }
    swapped.forEach(CopyWait::await);
    end();
    afterwards.run();
  }

  private void requireNotCancelled() {
    if (isCancelled()) {
      throw new CancellationException("The build was cancelled");
    }
  }

  public boolean isCancelled() {
    RunningBuild build = announced;
    return build != null && build.cancelled();
  }

  private void publish(ImageLoad part, long keysRead) {
    long end = System.nanoTime() + SETTLED.toNanos();
    if (!Attempts.until(() -> isPublished(part, keysRead, end))) {
      throw givenUp("its generations changed again and again");
    }
  }

  private boolean isPublished(ImageLoad part, long keysRead, long end) {
    RedisPartition partition = part.partition();
    ScriptOutcome outcome = ScriptOutcome.UNSETTLED;
    while (outcome == ScriptOutcome.UNSETTLED) {
      RedisHead view = part.readHead();
      RedisImage serving = view.serving();
      if (serving != null && serving.id().equals(part.image().id())) {
        // An earlier attempt, whose answer was lost with what to wait for.
        partition.copies().awaitLongest();
        return true;
      }
      LuaScript.Reply reply = publish(part, view, keysRead);
      outcome = reply == null ? ScriptOutcome.REREAD : reply.outcome();
      if (reply != null && reply.ok()) {
        part.readHead();
        // Without a generation before this one no copy calls its keys absent.
        if (serving != null) {
          swapped.add(partition.copies().waitFor(reply, 1));
        }
        return true;
      }
      if (outcome == ScriptOutcome.UNSETTLED && System.nanoTime() - end < 0 && !lock.lost()) {
        LockSupport.parkNanos(POLL.toNanos());
        partition.settle();
      } else if (outcome != ScriptOutcome.REREAD) {
        throw givenUp(reason(outcome));
      }
    }
    return false;
  }

  private static String reason(ScriptOutcome outcome) {
    return switch (outcome) {
      case FENCED, HEADLESS -> "its lock was lost or another build began";
      case UNSETTLED -> "Redis lost writes, and not every process has added its own again";
      default -> "its image in Redis was damaged";
    };
  }

  private LuaScript.@Nullable Reply publish(ImageLoad part, RedisHead view, long keysRead) {
    RedisImage image = part.image();
    RedisImage old = view.serving() == null ? image : view.serving();
    List<Object> args =
        new ArrayList<>(List.of(image.id(), lock.token(), part.index() == 0 ? lock.owner() : ""));
    args.addAll(image.change(ImageState.BUILDING, ImageState.READY));
    args.addAll(old.change(ImageState.READY, ImageState.RETIRED));
    args.addAll(List.of(image.generation(), keysRead, begun, origin.text(image.id())));
    args.add(order.set == null ? 0 : order.set.asOf().toEpochMilli());
    args.add(doubt == null ? 0 : 1);
    args.add(order.keepsPrevious ? 1 : 0);
    try {
      return part.partition()
          .start(PUBLISH, part.link(), view, List.of(lockKey(part)), args.toArray())
          .await(part.link().timeout());
    } catch (RedisUnavailableException e) {
      return null;
    }
  }

  /** The lock, or the head in its place. */
  private static byte[] lockKey(ImageLoad part) {
    PartitionKeys keys = part.partition().keys();
    return part.index() == 0 ? keys.lock() : keys.head();
  }

  @Override
  public void close() {
    if (ended) {
      return;
    }
    end();
    for (ImageLoad part : parts) {
      try {
        ABANDON.run(
            part.link(),
            List.of(part.partition().keys().head(), part.image().key(), lockKey(part)),
            part.image().id(),
            part.index() == 0 ? lock.owner() : "");
        part.readHead();
      } catch (RedisUnavailableException e) {
        // The lock ends by itself, and the next build clears the rest.
        log.debug("Filter '{}': a build was not cleared: {}", order.filter, e.getMessage());
      }
    }
  }

  private void end() {
    ended = true;
    content.close();
    if (parts.get(0).index() == 0) {
      lock.close();
    } else {
      lock.release();
    }
  }

  private IllegalStateException givenUp(String reason) {
    return new IllegalStateException(
        "Generation "
            + parts.get(0).image().generation()
            + " of filter '"
            + order.filter
            + "' was given up: "
            + reason);
  }
}
