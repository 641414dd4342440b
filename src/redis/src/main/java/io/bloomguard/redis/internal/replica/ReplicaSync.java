package io.bloomguard.redis.internal.replica;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.redis.internal.partition.PartitionReplica;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that updates the replicas of one filter: it gives each partition a turn, in circles.
 */
public final class ReplicaSync implements AutoCloseable {

  /** Polls per {@code max-staleness}: one that is late or lost does not make a replica stale. */
  private static final int LOOKS = 5;

  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Logger log = LoggerFactory.getLogger(ReplicaSync.class);

  private final String filter;
  private final List<PartitionReplica> replicas = new ArrayList<>();
  private final List<ReplicaFollower> followers = new ArrayList<>();
  private final long pause;
  private volatile @Nullable Thread thread;

  /** Updates those of {@code partitions} that have a replica, once it is started. */
  public ReplicaSync(
      String filter,
      RedisPartition[] partitions,
      ReplicaSettings settings,
      KeyHasher hasher,
      LongSupplier ticker) {
    this.filter = filter;
    this.pause = Math.min(settings.maxStaleness().toNanos() / LOOKS, LONGEST_PAUSE);
    long share = settings.maxBytes() / partitions.length;
    for (RedisPartition partition : partitions) {
      PartitionReplica replica = partition.replica();
      if (replica != null) {
        replicas.add(replica);
        followers.add(new ReplicaFollower(partition, replica, hasher, share, ticker));
      }
    }
  }

  public void start() {
    Thread feeding = new Thread(this::run, "bloomguard-replica-" + filter);
    feeding.setDaemon(true);
    thread = feeding;
    feeding.start();
  }

  /** Gives each partition its turn. */
  public void turn() {
    for (ReplicaFollower follower : followers) {
      follower.turn(pause);
    }
  }

  /** The lag of the partition that lags most, in seconds; NaN if one has no replica. */
  public double lagSeconds() {
    double lag = 0;
    for (PartitionReplica replica : replicas) {
      lag = Math.max(lag, replica.lagSeconds());
    }
    return lag;
  }

  private void run() {
    while (thread == Thread.currentThread()) {
      long began = System.nanoTime();
      try {
        turn();
      } catch (RuntimeException e) {
        // A partition without updates grows stale and stops answering; the next turn may do better.
        log.warn("Filter '{}': updating its replica failed", filter, e);
      }
      long left = began + pause - System.nanoTime();
      if (left > 0 && thread == Thread.currentThread()) {
        LockSupport.parkNanos(left);
      }
    }
  }

  @Override
  public void close() {
    Thread feeding = thread;
    thread = null;
    if (feeding != null) {
      feeding.interrupt();
    }
  }
}
