package io.bloomguard.redis;

import io.bloomguard.filter.BlockedFill;
import io.bloomguard.filter.BlockedFilter;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Fingerprint;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.ParallelFill;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.redis.RedisHead.Condition;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A generation being built: filled in this JVM's heap, then sent to Redis and served.
 *
 * <p>Between the lock's taking and its end no other build begins; whoever takes the lock later gets
 * a higher fencing token, and every step of this build is refused from then on. From the
 * registration on adds go to the new image too. What they set there a bulk chunk may overwrite, so
 * the journal is replayed twice: once into the heap before the chunks are sent, and, from where
 * that ended, once into the image after the last of them.
 */
final class RedisBuild implements GenerationStore.Build {

  private static final int ATTEMPTS = 8;
  private static final Logger log = LoggerFactory.getLogger(RedisBuild.class);
  private static final LuaScript REGISTER = LuaScript.of("register");
  private static final LuaScript PUBLISH = LuaScript.of("publish");
  private static final LuaScript ABANDON = LuaScript.of("abandon");

  private final String filter;
  private final RedisPartition[] partitions;
  private final RedisLink link;
  private final BuildLock lock;
  private final BuildBoard board;
  private final BlockedFilter[] bits;
  private final ParallelFill fill;
  private final RedisImage[] images;
  private @Nullable RunningBuild announced;
  private boolean ended;

  private RedisBuild(
      String filter,
      RedisPartition[] partitions,
      FilterShape shape,
      KeyHasher hasher,
      RedisLink link,
      BuildLock lock,
      BuildBoard board) {
    this.filter = filter;
    this.partitions = partitions;
    this.link = link;
    this.lock = lock;
    this.board = board;
    this.bits = new BlockedFilter[partitions.length];
    Arrays.setAll(bits, i -> new BlockedFilter(shape, hasher));
    this.fill =
        new ParallelFill(
            hasher,
            Arrays.stream(bits).map(BlockedFill::new).toList(),
            ParallelFill.defaultHelpers());
    this.images = new RedisImage[partitions.length];
    long generation = 0;
    for (RedisPartition partition : partitions) {
      generation = Math.max(generation, partition.head().last() + 1);
    }
    for (int i = 0; i < partitions.length; i++) {
      Fingerprint fingerprint = Fingerprint.of(filter, shape, hasher, partitions.length, i);
      images[i] = new RedisImage(partitions[i].keys(), generation, lock.token(), fingerprint);
    }
  }

  /** Takes the lock and registers the build in every partition. */
  static RedisBuild begin(
      String filter,
      RedisPartition[] partitions,
      FilterShape shape,
      KeyHasher hasher,
      RedisLink link,
      Duration lockLifetime,
      BuildBoard board) {
    link.awaitConnected(RedisConnections.CONNECT);
    for (RedisPartition partition : partitions) {
      prepare(partition, link, "keep");
    }
    BuildLock lock = lock(filter, partitions[0], link, lockLifetime);
    RedisBuild build;
    try {
      // Again: another build may have ended between the first look and the lock.
      for (RedisPartition partition : partitions) {
        prepare(partition, link, "replace");
      }
      build = new RedisBuild(filter, partitions, shape, hasher, link, lock, board);
    } catch (Throwable e) {
      lock.close();
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

  /** Reads the head and makes a good one where there is none. */
  private static RedisHead prepare(RedisPartition partition, RedisLink link, String ifDamaged) {
    RedisHead head = partition.usable(link);
    if (!head.valid()) {
      boolean damaged = head.condition() == Condition.DAMAGED;
      partition.create(link, link.timeout(), damaged ? ifDamaged : "keep");
      head = partition.usable(link);
    }
    return head;
  }

  private static BuildLock lock(
      String filter, RedisPartition first, RedisLink link, Duration lifetime) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      BuildLock lock = BuildLock.take(filter, first, link, lifetime);
      if (lock != null) {
        return lock;
      }
      prepare(first, link, "keep");
    }
    throw new IllegalStateException(
        "The head of filter '" + filter + "' in Redis is lost again and again");
  }

  private void register() {
    for (int i = 0; i < partitions.length; i++) {
      register(partitions[i], images[i]);
    }
  }

  private void register(RedisPartition partition, RedisImage image) {
    PartitionKeys keys = partition.keys();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      RedisHead view = prepare(partition, link, "replace");
      RedisImage crashed = view.building();
      List<byte[]> names =
          crashed == null
              ? List.of(keys.head(), keys.journal(), image.key())
              : List.of(keys.head(), keys.journal(), image.key(), crashed.key());
      LuaScript.Reply reply =
          REGISTER.run(
              link,
              names,
              view.view(),
              image.id(),
              image.fingerprint().text(),
              lock.token(),
              image.header(ImageState.BUILDING),
              image.trailer(ImageState.BUILDING),
              image.trailerOffset(),
              partition.retention().toMillis());
      if (reply.ok()) {
        partition.read(link, link.timeout());
        return;
      }
      if (reply.outcome().equals("fenced")) {
        break;
      }
    }
    throw givenUp("another build began");
  }

  /** The lock's owner: so all know the run from the moment on that the lock is taken. */
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
  public void publish() {
    fill.finish();
    for (int i = 0; i < partitions.length; i++) {
      requireNotCancelled();
      new ImageLoad(link, partitions[i].keys(), images[i], bits[i]).run();
    }
    requireNotCancelled();
    // Partition 0 comes last: its script ends the lock.
    for (int i = partitions.length - 1; i >= 0; i--) {
      publish(i);
    }
    end();
  }

  private void requireNotCancelled() {
    RunningBuild build = announced;
    if (build != null && build.cancelled()) {
      throw new CancellationException("The build was cancelled");
    }
  }

  private void publish(int index) {
    RedisPartition partition = partitions[index];
    RedisImage image = images[index];
    String reason = "its generations changed again and again";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      RedisHead view = partition.read(link, link.timeout());
      RedisImage serving = view.serving();
      if (serving != null && serving.id().equals(image.id())) {
        return; // an earlier attempt whose answer was lost
      }
      String outcome = publish(index, view);
      if (outcome.equals("ok")) {
        partition.read(link, link.timeout());
        return;
      }
      if (!outcome.equals("reread")) {
        reason =
            outcome.equals("fenced")
                ? "its lock was lost or another build began"
                : "its image in Redis was damaged";
        break;
      }
    }
    throw givenUp(reason);
  }

  private String publish(int index, RedisHead view) {
    PartitionKeys keys = partitions[index].keys();
    RedisImage image = images[index];
    RedisImage old = view.serving() == null ? image : view.serving();
    RedisImage older = view.previous() == null ? image : view.previous();
    boolean first = index == 0;
    try {
      return PUBLISH
          .run(
              link,
              List.of(
                  keys.head(),
                  image.key(),
                  first ? keys.lock() : keys.head(),
                  old.key(),
                  older.key()),
              view.view(),
              image.id(),
              lock.token(),
              first ? lock.owner() : "",
              image.sealBytes(ImageState.BUILDING),
              image.lastWord() * Long.BYTES,
              image.header(ImageState.READY),
              image.trailer(ImageState.READY),
              image.trailerOffset(),
              old.sealBytes(ImageState.READY),
              old.lastWord() * Long.BYTES,
              old.header(ImageState.RETIRED),
              old.trailer(ImageState.RETIRED),
              old.trailerOffset(),
              image.generation())
          .outcome();
    } catch (RedisUnavailableException e) {
      return "reread";
    }
  }

  @Override
  public void close() {
    if (ended) {
      return;
    }
    end();
    for (int i = 0; i < partitions.length; i++) {
      PartitionKeys keys = partitions[i].keys();
      byte[] third = i == 0 ? keys.lock() : keys.head();
      try {
        ABANDON.run(
            link,
            List.of(keys.head(), images[i].key(), third),
            images[i].id(),
            i == 0 ? lock.owner() : "");
        partitions[i].read(link, link.timeout());
      } catch (RedisUnavailableException e) {
        // The lock ends by itself, and the next build clears what is left.
        log.debug("Filter '{}': a build was not cleared: {}", filter, e.getMessage());
      }
    }
  }

  private void end() {
    ended = true;
    fill.close();
    lock.close();
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
