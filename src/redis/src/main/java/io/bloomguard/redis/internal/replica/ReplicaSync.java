package io.bloomguard.redis.internal.replica;

import io.bloomguard.filter.KeyHasher;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.redis.internal.client.WakeUps;
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
 *
 * <p>It rests between two turns, until an add wakes it: a third of a lease, so that one poll that
 * is late or lost ends no lease; or a tenth, at most 100 ms, while adds cannot wake it.
 */
public final class ReplicaSync implements AutoCloseable {

  private static final int TURNS_IN_LEASE = 3;
  private static final int TURNS_UNWOKEN = 10;
  private static final long LONGEST_UNWOKEN = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * The time for each poll and each registered copy, so that all of them together send 4,000 polls
   * a second at most, however many adds there are; and its most.
   */
  private static final long TIME_OF_POLL = TimeUnit.MICROSECONDS.toNanos(250);

  private static final long LONGEST_TIME = TimeUnit.MILLISECONDS.toNanos(25);

  /** The unused time that a copy may spend at once: a few adds now and then meet no rest. */
  private static final long SAVED_TIME = TimeUnit.MILLISECONDS.toNanos(25);

  private static final Logger log = LoggerFactory.getLogger(ReplicaSync.class);

  private final String filter;
  private final List<ReplicaFollower> followers = new ArrayList<>();
  private final WakeUps wakeUps;
  private final long lease;
  private volatile @Nullable Thread thread;
  private volatile boolean woken;

  /** The polls so far, and the moment by which their time has passed. */
  private long polls;

  private long timeOfPolls = System.nanoTime();

  /** Updates those of {@code partitions} that have a replica, once it is started. */
  public ReplicaSync(
      String filter,
      RedisPartition[] partitions,
      ReplicaSettings settings,
      KeyHasher hasher,
      LongSupplier ticker,
      WakeUps wakeUps) {
    this.filter = filter;
    this.wakeUps = wakeUps;
    this.lease = settings.lease().toNanos();
    long share = settings.maxBytes() / partitions.length;
    for (RedisPartition partition : partitions) {
      PartitionReplica replica = partition.replica();
      if (replica != null) {
        followers.add(new ReplicaFollower(partition, replica, hasher, share, ticker));
      }
    }
  }

  public void start() {
    Thread feeding = new Thread(this::run, "bloomguard-replica-" + filter);
    feeding.setDaemon(true);
    thread = feeding;
    for (int i = 0; i < followers.size(); i++) {
      int at = i;
      wakeUps.subscribe(followers.get(i).channel(), message -> hear(at, message));
    }
    feeding.start();
  }

  /** Gives each partition its turn; whether one has still to report what it has read. */
  public boolean turn() {
    boolean unreported = false;
    for (ReplicaFollower follower : followers) {
      unreported |= follower.turn(lease / TURNS_UNWOKEN);
    }
    return unreported;
  }

  /** The lag of the partition that lags most, in seconds; NaN if one has no replica. */
  public double lagSeconds() {
    return followers.stream().mapToDouble(ReplicaFollower::lagSeconds).reduce(0, Math::max);
  }

  /** Takes a message about the partition of a replica. Does not wait, on any thread. */
  public void hear(int replica, byte[] message) {
    if (followers.get(replica).hears(message)) {
      woken = true;
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (thread == Thread.currentThread()) {
      woken = false;
      long began = System.nanoTime();
      try {
        if (turn()) {
          woken = true;
        }
      } catch (RuntimeException e) {
        // A partition without updates loses its lease; the next turn may do better.
        log.warn("Filter '{}': updating its replica failed", filter, e);
      }
      long ended = System.nanoTime();
      rest(ended, false, restAfterTurn(ended));
      rest(began, true, pause());
    }
    followers.forEach(ReplicaFollower::close);
  }

  private void rest(long since, boolean wakes, long nanos) {
    long left = nanos;
    while (left > 0 && !(wakes && woken) && thread == Thread.currentThread()) {
      LockSupport.parkNanos(this, left);
      left = since + nanos - System.nanoTime();
    }
  }

  private long restAfterTurn(long now) {
    long copies = followers.stream().mapToLong(ReplicaFollower::copies).max().orElse(0);
    long sent = followers.stream().mapToLong(ReplicaFollower::polls).sum();
    long earliest = now - SAVED_TIME;
    long since = timeOfPolls - earliest > 0 ? timeOfPolls : earliest;
    timeOfPolls = since + (sent - polls) * Math.min(LONGEST_TIME, copies * TIME_OF_POLL);
    polls = sent;
    return timeOfPolls - now;
  }

  private long pause() {
    return wakeUps.isConnected()
        ? lease / TURNS_IN_LEASE
        : Math.min(lease / TURNS_UNWOKEN, LONGEST_UNWOKEN);
  }

  /** Has the thread end the leases and itself; does not wait for it. */
  public void stop() {
    Thread feeding = thread;
    thread = null;
    followers.forEach(follower -> wakeUps.unsubscribe(follower.channel()));
    LockSupport.unpark(feeding);
  }

  /** Ends the leases, while there are connections to say so. */
  @Override
  public void close() {
    Thread feeding = thread;
    stop();
    if (feeding == null) {
      return;
    }
    try {
      feeding.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
