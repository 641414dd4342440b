package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.Lineage;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as one of the writers of a partition: it retains its adds, and adds them again after
 * Redis has lost writes.
 */
final class PartitionWriter {

  private static final Logger log = LoggerFactory.getLogger(PartitionWriter.class);
  private static final LuaScript SETTLE =
      RedisPartition.PREAMBLE.then(PartitionWriter.class, "settle");
  private static final LuaScript MEET = RedisPartition.PREAMBLE.then(PartitionWriter.class, "meet");
  private static final LuaScript ALIVE = LuaScript.of(PartitionWriter.class, "alive");
  private static final LuaScript LEAVE = LuaScript.of(PartitionWriter.class, "leave");

  /** The time between two heartbeats during a recovery. */
  private static final long SIGN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The silence after which a heartbeat is due; maintenance reports every second. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final RedisPartition partition;
  private final PartitionHead head;
  private final PartitionAdds adds;
  private final RetainedAdds retained;
  private final RecoverySettings settling;

  /** With a mark: its adds wait for copies, which hold no leases beside a writer without it. */
  private final String id = "waits:" + UUID.randomUUID();

  // Held for a few commands at most, never during a recovery.
  private final ReentrantLock lock = new ReentrantLock();

  private final AtomicLong newestGeneration = new AtomicLong();

  /** The lineage of these generations, empty before the first. */
  private String numbered = "";

  /** This process' entry among the writers as last written, and its place; empty if unknown. */
  private String entry = "";

  private String entryAt = "";
  private long entryWritten;

  /** The time when this process last wrote into the list of writers. */
  private volatile long signed = System.nanoTime() - 2 * SILENCE_NANOS;

  /** The current or last recovery; null for none. */
  private @Nullable LossRecovery recovery;

  /** Whether inserts of other programs are present again, after {@link RetainedAdds#settledFor}. */
  private boolean refilled = true;

  PartitionWriter(RedisPartition partition, PartitionAdds adds, RecoverySettings settling) {
    this.partition = partition;
    this.head = partition.head();
    this.adds = adds;
    this.retained = partition.retained();
    this.settling = settling;
  }

  /** The number of the newest generation seen. */
  long newestGeneration() {
    return newestGeneration.get();
  }

  /** Notes that a generation of this number existed. */
  void knowsGeneration(long number) {
    newestGeneration.accumulateAndGet(number, Math::max);
  }

  /**
   * Ensures before an add that this process is in the list of writers: that it has entered, and
   * that its entry did not end while the process was stopped.
   *
   * @throws AddFailedException if other threads enter for longer than a write may take
   */
  void enter() {
    long silence = System.nanoTime() - signed;
    if (retained.settledFor() != 0 && silence < settling.lifetime().toNanos() / 2) {
      return;
    }
    if (!Attempts.isLocked(lock, RedisConnections.WRITE)) {
      throw new AddFailedException(
          "Filter '"
              + partition.filter()
              + "' could not take an add: this process did not enter the list of writers within "
              + RedisConnections.WRITE,
          null);
    }
    try {
      if (!head.last().valid()) {
        partition.read();
      }
      settleLocked();
    } catch (StoreUnavailableException e) {
      // The add that follows fails by itself, or finds that a head must be made.
      log.debug("Filter '{}': not yet among its writers", partition.filter(), e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts a recovery if Redis may have lost writes since the last one, and reports once it is
   * done; either is a heartbeat. Waits for a few commands at most.
   *
   * @throws RedisUnavailableException if Redis does not answer
   */
  void settle() {
    if (!Attempts.isLocked(lock, RedisConnections.SLOW)) {
      throw new RedisUnavailableException("Other threads report to Redis", null);
    }
    try {
      settleLocked();
    } finally {
      lock.unlock();
    }
  }

  /** Settles what is open, if this process' heartbeat is due. */
  void heartbeatIfDue() {
    // The thread that holds the lock is sending one.
    if (System.nanoTime() - signed > SILENCE_NANOS && lock.tryLock()) {
      try {
        settleLocked();
      } finally {
        lock.unlock();
      }
    }
  }

  private void settleLocked() {
    Attempts.until(this::isSettled);
  }

  /** Settles what is open under the head as last read; false if that has changed meanwhile. */
  private boolean isSettled() {
    RedisHead view = head.last();
    if (!view.valid()) {
      return true;
    }
    if (head.isUnmet(view)) {
      meet(view);
      return false;
    }
    if (!numbered.isEmpty() && !numbered.equals(view.lineage().id())) {
      // The numbers of another lineage say nothing about this one.
      newestGeneration.set(view.last());
    }
    numbered = view.lineage().id();
    knowsGeneration(view.last());
    // A head of another server may have been read over another connection. Adds would still go to
    // this server, which does not know of the loss; the report tells which server is right.
    boolean sameServer = view.trust().server().equals(partition.requests().server());
    if (sameServer && !isMadeGood(view)) {
      heartbeat();
      return true;
    }
    ScriptOutcome outcome = report(view);
    if (outcome == ScriptOutcome.TRUSTED && !view.trust().epoch().isEmpty()) {
      return true;
    }
    partition.read();
    if (outcome == ScriptOutcome.TRUSTED) {
      log.info("Filter '{}': recovered from every loss, it decides again", partition.filter());
    }
    return outcome != ScriptOutcome.REREAD && outcome != ScriptOutcome.LOST;
  }

  /** Compares the head in Redis with the one that this process knows. */
  private void meet(RedisHead view) {
    LuaScript.Reply reply =
        partition
            .start(MEET, partition.requests(), view, List.of(), head.meeting().toArray())
            .await(RedisConnections.WRITE);
    if (reply.ok()) {
      head.meets(new Lineage(reply.text(1), reply.number(2), ""));
    }
    partition.read();
  }

  /** Whether everything was added again after the losses in a head; if not, starts that. */
  private boolean isMadeGood(RedisHead view) {
    long losses = view.trust().losses();
    if (losses == retained.settledFor()) {
      return true;
    }
    LossRecovery before = recovery;
    if (before != null && !before.isOver()) {
      return false;
    }
    if (before != null && before.hasMadeGood(losses)) {
      return settled(losses, before.refilled());
    }
    Instant from = needsRefill(view) ? lostFrom(view) : null;
    if (retained.isEmpty() && from == null) {
      return settled(losses, true);
    }
    // One a second: a recovery that fails at once is not tried again with every add.
    if (before == null || System.nanoTime() - before.began() > SIGN_NANOS) {
      recover(losses, from);
    }
    return false;
  }

  private boolean settled(long losses, boolean complete) {
    recovery = null;
    refilled = complete;
    retained.settled(losses);
    return true;
  }

  private void recover(long losses, @Nullable Instant from) {
    LossRecovery next =
        new LossRecovery(partition, adds, losses, from, settling.refill().get(), this::report);
    recovery = next;
    // Redis may have lost the list of writers too.
    signed = System.nanoTime() - 2 * SIGN_NANOS;
    try {
      settling.recoveries().execute(next);
    } catch (RejectedExecutionException e) {
      recovery = null;
      log.debug("Filter '{}' is closed: nothing is added again", partition.filter());
    }
  }

  /** Reports a recovery at once, rather than with the next heartbeat. */
  private void report() {
    try {
      settle();
    } catch (StoreUnavailableException e) {
      log.debug("Filter '{}': not reported: {}", partition.filter(), e.getMessage());
    }
  }

  /**
   * Tells the others, once a second, that this process is still adding again: otherwise they would
   * settle without its adds.
   */
  private void heartbeat() {
    if (System.nanoTime() - signed > SIGN_NANOS) {
      entry = "";
      ALIVE
          .start(
              partition.requests(),
              List.of(partition.keys().writers()),
              id,
              retained.settledFor(),
              settling.lifetime().toMillis(),
              canRebuild() ? "1" : "0")
          .await(RedisConnections.WRITE);
      signed = System.nanoTime();
    }
  }

  private boolean canRebuild() {
    return settling.refill().get().canRebuild();
  }

  /** The start of the time from which rows of other programs may be missing. */
  private Instant lostFrom(RedisHead view) {
    // A row becomes visible only when its transaction ends.
    return Instant.EPOCH
        .plus(view.trust().since(), ChronoUnit.MICROS)
        .minus(partition.journal().retention());
  }

  /** Whether inserts of other programs may be missing, and the gap is short enough to fill. */
  private boolean needsRefill(RedisHead view) {
    long since = view.trust().since();
    Duration gap = Duration.of(view.beat() - since, ChronoUnit.MICROS);
    return since != 0 && gap.compareTo(settling.longestGap()) <= 0;
  }

  private ScriptOutcome report(RedisHead view) {
    RedisImage serving = view.serving();
    String server = partition.requests().server();
    // An entry from before a loss that was noted later proves nothing. Nor does one that may have
    // been removed because its time was over.
    boolean fresh = System.nanoTime() - entryWritten < settling.lifetime().toNanos() / 2;
    boolean comparable =
        fresh && server.equals(entryAt) && entry.startsWith(view.trust().losses() + "|");
    String known = comparable ? entry : "";
    long sent = System.nanoTime();
    // Until the answer arrives, the entry in the list is unknown.
    entry = "";
    LuaScript.Reply reply =
        partition
            .start(
                SETTLE,
                partition.requests(),
                view,
                List.of(partition.keys().writers()),
                id,
                retained.settledFor(),
                settling.lifetime().toMillis(),
                settling.grace().toMillis(),
                settling.longestGap().toMillis(),
                newestGeneration.get(),
                canRebuild() ? "1" : "",
                serving == null ? "" : serving.sealBytes(ImageState.READY),
                serving == null ? 0 : serving.lastWord() * Long.BYTES,
                known,
                refilled ? "1" : "")
            .await(RedisConnections.WRITE);
    if (reply.fields().size() > 1) {
      entry = reply.text(1);
      entryAt = server;
      entryWritten = sent;
      signed = sent;
    }
    return reply.outcome();
  }

  /**
   * Leaves the list of writers, so that no other writer waits for this process. If adds are still
   * to be added again, the entry stays until it ends: it tells the others that they are missing.
   * Never throws.
   */
  void leave() {
    if (!Attempts.isLocked(lock, RedisConnections.WRITE)) {
      return;
    }
    try {
      if (recovery == null) {
        LEAVE
            .start(partition.requests(), List.of(partition.keys().writers()), id)
            .await(RedisConnections.WRITE);
        // That a late report finds none is no loss.
        entry = "";
      }
    } catch (RedisUnavailableException e) {
      log.debug("The entry among the writers ends by itself: {}", e.getMessage());
    } finally {
      lock.unlock();
    }
  }
}
