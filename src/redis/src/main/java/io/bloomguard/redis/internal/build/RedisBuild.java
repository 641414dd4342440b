package io.bloomguard.redis.internal.build;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockedFill;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.generation.internal.ParallelFill;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A generation being built: filled in this JVM's heap, and served.
 *
 * <p>No other build begins while this one holds the lock. A later holder of the lock gets a higher
 * fencing token, and Redis refuses every step of this build from then on. From the registration on,
 * adds go to the new image too. A bulk chunk may overwrite them there, so the journal is replayed
 * twice: once into the heap before the chunks are sent, and, from where that ended, once into the
 * image after the last of them.
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

  private final String filter;
  private final RedisPartition[] partitions;

  /** The indexes of those that get the generation: all, or those that have lost theirs. */
  private final int[] built;

  private final KeyHasher hasher;
  private final BuildLock lock;
  private final RedisRebuildStatusStore board;

  /** The links to the servers where the build was registered; no other server gets a command. */
  private final RedisLink[] links;

  private final RedisImage[] images;
  private final ImageLoad[] loads;
  private final BlockedFilter[] bits;
  private final ParallelFill fill;
  private final List<CopyWait> swapped = new ArrayList<>();
  private @Nullable RunningBuild announced;
  private long begun;
  private BuildOrigin origin;
  private boolean ended;
  private Function<BooleanSupplier, Runnable> beforehand = cancelled -> () -> {};
  private Runnable afterwards = () -> {};

  private RedisBuild(
      String filter,
      RedisPartition[] partitions,
      int[] built,
      FilterShape shape,
      KeyHasher hasher,
      BuildLock lock,
      RedisRebuildStatusStore board,
      BuildOrigin origin) {
    this.filter = filter;
    this.partitions = partitions;
    this.built = built;
    this.links = new RedisLink[partitions.length];
    Arrays.setAll(links, i -> only(partitions[i].builds()));
    this.hasher = hasher;
    this.origin = origin;
    this.lock = lock;
    this.board = board;
    this.images = new RedisImage[partitions.length];
    long generation = 0;
    for (RedisPartition partition : partitions) {
      RedisImage serving = partition.head().last().serving();
      generation = Math.max(generation, serving == null ? 0 : serving.generation());
    }
    for (int i : built) {
      generation = Math.max(generation, partitions[i].head().last().last() + 1);
    }
    for (int i = 0; i < partitions.length; i++) {
      Fingerprint fingerprint = Fingerprint.of(filter, shape, hasher, partitions.length, i);
      images[i] = new RedisImage(partitions[i].keys(), generation, lock.token(), fingerprint);
    }
    this.loads = new ImageLoad[partitions.length];
    Arrays.setAll(loads, i -> new ImageLoad(links[i], partitions[i].keys(), images[i]));
    this.bits = new BlockedFilter[partitions.length];
    Arrays.setAll(bits, i -> new BlockedFilter(images[i].fingerprint().shape(), hasher));
    this.fill =
        new ParallelFill(
            hasher,
            Arrays.stream(bits).map(BlockedFill::new).toList(),
            ParallelFill.defaultHelpers());
  }

  /**
   * Takes the lock and registers the build in every partition that it builds.
   *
   * @param built their indexes, in ascending order
   */
  public static RedisBuild begin(
      String filter,
      RedisPartition[] partitions,
      int[] built,
      FilterShape shape,
      KeyHasher hasher,
      String run,
      Duration lockLifetime,
      RedisRebuildStatusStore board,
      BuildOrigin origin) {
    for (int i : built) {
      partitions[i].builds().awaitConnected(RedisConnections.CONNECT);
      partitions[i].requests().awaitConnected(RedisConnections.CONNECT);
      prepare(partitions[i], "keep");
    }
    BuildLock lock = lock(filter, partitions[0], run, lockLifetime);
    RedisBuild build;
    try {
      // Again: another build may have ended between the first reading and the lock.
      for (int i : built) {
        prepare(partitions[i], "replace");
        partitions[i].settle();
      }
      build = new RedisBuild(filter, partitions, built, shape, hasher, lock, board, origin);
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

  private static BuildLock lock(
      String filter, RedisPartition first, String run, Duration lifetime) {
    BuildLock lock =
        Attempts.of(
            () -> {
              prepare(first, "keep");
              return BuildLock.take(filter, first, first.builds(), run, lifetime);
            });
    if (lock == null) {
      throw new IllegalStateException(
          "The head of filter '" + filter + "' in Redis is lost again and again");
    }
    return lock;
  }

  private static RedisLink only(RedisLink link) {
    return link.only(link.server());
  }

  private void register() {
    for (int i : built) {
      if (!Attempts.until(() -> isRegistered(i))) {
        throw givenUp("another build began");
      }
    }
  }

  private boolean isRegistered(int index) {
    RedisPartition partition = partitions[index];
    RedisImage image = images[index];
    RedisLink link = links[index];
    RedisHead view = prepare(partition, "replace");
    LuaScript.Reply reply =
        partition
            .start(
                REGISTER,
                link,
                view,
                List.of(image.key()),
                image.id(),
                image.fingerprint().text(),
                lock.token(),
                image.header(ImageState.BUILDING),
                image.trailer(ImageState.BUILDING),
                image.trailerOffset(),
                partition.journal().span().toMillis())
            .await(link.timeout());
    if (reply.outcome() == ScriptOutcome.FENCED) {
      throw givenUp("another build began");
    }
    if (reply.ok()) {
      partition.head().read(link, link.timeout());
    }
    return reply.ok();
  }

  /**
   * Makes this build a step of something larger.
   *
   * @param before is awaited before the source is read, told whether the build was cancelled; it
   *     answers what follows upon the publishing
   */
  public RedisBuild within(Function<BooleanSupplier, Runnable> before) {
    beforehand = before;
    return this;
  }

  @Override
  public void awaitSource() {
    afterwards = beforehand.apply(this::isCancelled);
  }

  /** The lock's owner: all processes know the run as soon as the lock is taken. */
  @Override
  public String run() {
    return lock.owner();
  }

  @Override
  public void announce(RunningBuild build) {
    announced = build;
    lock.everySecond(() -> board.tell(lock.token(), run(), build));
  }

  @Override
  public void ended(RebuildReport report) {
    board.ended(lock.token(), report);
  }

  @Override
  public void follows(long begin) {
    begun = begin;
  }

  @Override
  public void comesFrom(@Nullable String identity) {
    origin = origin.from(identity == null ? "" : hashed(identity, hasher));
  }

  /** The identity of a database as the head has it: it tells no name. */
  public static String hashed(String identity, KeyHasher hasher) {
    return HexFormat.of().toHexDigits(hasher.hash(identity));
  }

  @Override
  public void addAll(String[] keys, int count) {
    if (lock.lost()) {
      throw givenUp("its lock was lost");
    }
    fill.addAll(keys, count);
  }

  @Override
  public void addAll(long[] keys, int count) {
    if (lock.lost()) {
      throw givenUp("its lock was lost");
    }
    fill.addAll(keys, count);
  }

  @Override
  public void publish(long keysRead) {
    fill.finish();
    for (int i : built) {
      requireNotCancelled();
      loads[i].run(bits[i]);
    }
    requireNotCancelled();
    // Partition 0 comes last: its script ends the lock.
    for (int i = built.length - 1; i >= 0; i--) {
      publish(built[i], keysRead);
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

  private boolean isCancelled() {
    RunningBuild build = announced;
    return build != null && build.cancelled();
  }

  private void publish(int index, long keysRead) {
    long end = System.nanoTime() + SETTLED.toNanos();
    if (!Attempts.until(() -> isPublished(index, keysRead, end))) {
      throw givenUp("its generations changed again and again");
    }
  }

  private boolean isPublished(int index, long keysRead, long end) {
    RedisPartition partition = partitions[index];
    RedisLink link = links[index];
    ScriptOutcome outcome = ScriptOutcome.UNSETTLED;
    while (outcome == ScriptOutcome.UNSETTLED) {
      RedisHead view = partition.head().read(link, link.timeout());
      RedisImage serving = view.serving();
      if (serving != null && serving.id().equals(images[index].id())) {
        // An earlier attempt, whose answer was lost with what to wait for.
        partition.copies().awaitLongest();
        return true;
      }
      LuaScript.Reply reply = publish(index, view, keysRead);
      outcome = reply == null ? ScriptOutcome.REREAD : reply.outcome();
      if (reply != null && reply.ok()) {
        partition.head().read(link, link.timeout());
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

  private LuaScript.@Nullable Reply publish(int index, RedisHead view, long keysRead) {
    RedisPartition partition = partitions[index];
    RedisImage image = images[index];
    RedisImage old = view.serving() == null ? image : view.serving();
    boolean first = index == 0;
    List<Object> args =
        new ArrayList<>(List.of(image.id(), lock.token(), first ? lock.owner() : ""));
    args.addAll(image.change(ImageState.BUILDING, ImageState.READY));
    args.addAll(old.change(ImageState.READY, ImageState.RETIRED));
    args.add(image.generation());
    args.add(keysRead);
    args.add(begun);
    args.add(origin.text(image.id()));
    try {
      return partition
          .start(
              PUBLISH,
              links[index],
              view,
              List.of(first ? partition.keys().lock() : partition.keys().head()),
              args.toArray())
          .await(links[index].timeout());
    } catch (RedisUnavailableException e) {
      return null;
    }
  }

  @Override
  public void close() {
    if (ended) {
      return;
    }
    end();
    for (int i : built) {
      PartitionKeys keys = partitions[i].keys();
      byte[] third = i == 0 ? keys.lock() : keys.head();
      try {
        ABANDON.run(
            links[i],
            List.of(keys.head(), images[i].key(), third),
            images[i].id(),
            i == 0 ? lock.owner() : "");
        partitions[i].head().read(links[i], links[i].timeout());
      } catch (RedisUnavailableException e) {
        // The lock ends by itself, and the next build clears the rest.
        log.debug("Filter '{}': a build was not cleared: {}", filter, e.getMessage());
      }
    }
  }

  private void end() {
    ended = true;
    fill.close();
    if (built[0] == 0) {
      lock.close();
    } else {
      lock.release();
    }
  }

  private IllegalStateException givenUp(String reason) {
    return new IllegalStateException(
        "Generation "
            + images[0].generation()
            + " of filter '"
            + filter
            + "' was given up: "
            + reason);
  }
}
