package io.bloomguard.redis;

import io.bloomguard.generation.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as one of the writers of a partition: it remembers what it has added, and adds it
 * again after Redis has lost something.
 */
final class PartitionWriter {

  private static final Logger log = LoggerFactory.getLogger(PartitionWriter.class);
  private static final LuaScript SETTLE = LuaScript.ofPartition("settle");
  private static final LuaScript ALIVE = LuaScript.of("alive");
  private static final LuaScript LEAVE = LuaScript.of("leave");
  private static final int ATTEMPTS = 8;

  private final RedisPartition partition;
  private final Settling settling;
  private final OwnAdds adds;
  private final String id = UUID.randomUUID().toString();
  private final ReentrantLock lock = new ReentrantLock();

  /** The losses after which everything was added again; 0 before this process knew any. */
  private volatile long settledFor;

  private volatile long newestGeneration;

  /** This process' entry among the writers as it was written last, and where; empty if unknown. */
  private String entry = "";

  private String entryAt = "";
  private long entryWritten;

  /** Whether what other programs inserted is there again, after {@link #settledFor} losses. */
  private boolean refilled = true;

  PartitionWriter(RedisPartition partition, Settling settling) {
    this.partition = partition;
    this.settling = settling;
    this.adds = new OwnAdds(partition.retention(), System::nanoTime);
  }

  OwnAdds adds() {
    return adds;
  }

  /** The losses after which everything was added again; 0 before this process knew any. */
  long settledFor() {
    return settledFor;
  }

  /** Whether this process has adds of its own that may be missing after some losses. */
  boolean isBehind(long losses) {
    // The adds come first: what is too old goes with every reading of the head, at rest too.
    return !adds.isEmpty() && losses != settledFor;
  }

  /** The number of the newest generation that was seen. */
  long newestGeneration() {
    return newestGeneration;
  }

  /** There was a generation of that number. */
  void knowsGeneration(long number) {
    lock.lock();
    try {
      newestGeneration = Math.max(newestGeneration, number);
    } finally {
      lock.unlock();
    }
  }

  /** Sees to it that the list of writers has this process before its first add. */
  void enter() {
    // What is added again for a doubt comes from the thread that settles it.
    if (settledFor != 0 || lock.isHeldByCurrentThread()) {
      return;
    }
    try {
      RedisLink link = partition.requests();
      if (!partition.head().valid()) {
        partition.read(link, RedisConnections.WRITE);
      }
      settle();
    } catch (StoreUnavailableException e) {
      // The add that follows fails by itself, or finds a head to be made.
      log.debug("Filter '{}': not yet among its writers", partition.own().filter(), e);
    }
  }

  /**
   * Adds again what Redis may have lost, if it has lost anything since the last time, and reports
   * it, which is a sign of life as well.
   *
   * @throws RedisUnavailableException if Redis does not answer
   */
  void settle() {
    lock.lock();
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        RedisHead view = partition.head();
        if (!view.valid()) {
          return;
        }
        knowsGeneration(view.last());
        // A head of another server may have been read over another connection. Adds would still go
        // to this one, unknown to that; the report tells who is right.
        boolean sameServer = view.trust().server().equals(partition.requests().server());
        String outcome = !sameServer || addedAgain(view) ? report(view) : "reread";
        if (outcome.equals("trusted") && !view.trust().epoch().isEmpty()) {
          return;
        }
        partition.read(partition.requests(), RedisConnections.WRITE);
        if (outcome.equals("trusted")) {
          log.info(
              "Filter '{}': every loss is made good, it decides again", partition.own().filter());
        }
        if (!outcome.equals("reread") && !outcome.equals("lost")) {
          return;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** False if more was lost meanwhile. */
  private boolean addedAgain(RedisHead view) {
    try {
      addAgain(view);
      return true;
    } catch (LostAgainException e) {
      return false;
    }
  }

  private void addAgain(RedisHead view) {
    long losses = view.trust().losses();
    if (losses == settledFor) {
      return;
    }
    String filter = partition.own().filter();
    List<Long> lost = adds.remembered();
    if (settledFor != 0) {
      log.warn(
          "Filter '{}': Redis may have lost writes; {} keys of this process are added again",
          filter,
          lost.size());
    }
    boolean complete = true;
    if (!lost.isEmpty() || needsRefill(view)) {
      entry = "";
      try (SignsOfLife signs = new SignsOfLife(this::giveSignOfLife)) {
        partition.addAgain(lost, losses);
        complete = refill(view);
      }
    }
    refilled = complete;
    settledFor = losses;
  }

  /** Says that this process is still at it: without the others would settle without its adds. */
  private void giveSignOfLife() {
    ALIVE
        .start(
            partition.requests(),
            List.of(partition.keys().writers()),
            id,
            settledFor,
            settling.lifetime().toMillis(),
            canRebuild() ? "1" : "0")
        .await(RedisConnections.WRITE);
  }

  private boolean canRebuild() {
    return settling.refill().get().canRebuild();
  }

  private boolean needsRefill(RedisHead view) {
    long since = view.trust().since();
    Duration gap = Duration.of(view.beat() - since, ChronoUnit.MICROS);
    return since != 0 && gap.compareTo(settling.longestGap()) <= 0;
  }

  /**
   * Adds what other programs have inserted, unless the doubt is over or too old for that; false if
   * some of it may be missing, which then only a new generation has.
   */
  private boolean refill(RedisHead view) {
    if (!needsRefill(view)) {
      return true;
    }
    long since = view.trust().since();
    // A row becomes visible only when its transaction ends.
    Instant from = Instant.EPOCH.plus(since, ChronoUnit.MICROS).minus(partition.retention());
    try {
      settling.refill().get().since().accept(from);
      return true;
    } catch (RuntimeException e) {
      log.warn(
          "Filter '{}': rows of other programs could not be added again{}: {}",
          partition.own().filter(),
          canRebuild() ? ", so it is built anew" : "",
          e.getClass().getName());
      return false;
    }
  }

  private String report(RedisHead view) {
    RedisImage serving = view.serving();
    String server = partition.requests().server();
    // An entry of before a loss that has been noted since says nothing.
    // Nor does one that may have been cleared away because its time was over.
    boolean fresh = System.nanoTime() - entryWritten < settling.lifetime().toNanos() / 2;
    boolean comparable =
        fresh && server.equals(entryAt) && entry.startsWith(view.trust().losses() + "|");
    String known = comparable ? entry : "";
    long sent = System.nanoTime();
    // Until the answer is there nobody knows what stands in the list.
    entry = "";
    LuaScript.Reply reply =
        partition
            .start(
                SETTLE,
                partition.requests(),
                view,
                List.of(partition.keys().writers()),
                id,
                settledFor,
                settling.lifetime().toMillis(),
                settling.grace().toMillis(),
                settling.longestGap().toMillis(),
                newestGeneration,
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
    }
    return reply.outcome();
  }

  /** Leaves the list of writers, so that nobody waits for this process. Never throws. */
  void leave() {
    try {
      LEAVE
          .start(partition.requests(), List.of(partition.keys().writers()), id)
          .await(RedisConnections.WRITE);
    } catch (RedisUnavailableException e) {
      log.debug("The entry among the writers ends by itself: {}", e.getMessage());
    }
  }
}
