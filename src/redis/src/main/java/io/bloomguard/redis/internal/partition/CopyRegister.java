package io.bloomguard.redis.internal.partition;

import io.bloomguard.generation.internal.ReplicatedStore.CopyWaits;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.partition.CopyWait.Register;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The register of the copies of one partition, as its writers see it: they wait until no copy may
 * lack what they have written.
 *
 * <p>Waiting writers share their looks at the register: one is under way at most, and a writer
 * believes only one that was sent after its own script had answered.
 */
public final class CopyRegister {

  private static final Logger log = LoggerFactory.getLogger(CopyRegister.class);
  private static final LuaScript LOOK = LuaScript.of(CopyRegister.class, "look");
  private static final LuaScript STRIKE = LuaScript.of(CopyRegister.class, "strike");

  /** The share of its wait so far that a writer rests before a look, and the bounds of a rest. */
  private static final int REST_SHARE = 4;

  private static final long SHORTEST_REST = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long LONGEST_REST = TimeUnit.MILLISECONDS.toNanos(10);

  private final RedisLink requests;
  private final PartitionKeys keys;
  private final KnownLosses losses;
  private final ReentrantLock lock = new ReentrantLock();
  private final LongAdder adds = new LongAdder();
  private final LongAdder nanos = new LongAdder();
  private final LongAdder ranOut = new LongAdder();
  private volatile int copies;

  /** The register at the last sweep, and when it was read. */
  private @Nullable Register swept;

  private long sweptAt;

  /** The look under way, null for none. */
  private @Nullable CompletableFuture<Register> running;

  /** The look after it, which its callers share. */
  private @Nullable CompletableFuture<Register> next;

  /**
   * @param grace how long a doubt lasts at least
   */
  CopyRegister(RedisLink requests, PartitionKeys keys, Duration grace) {
    this.losses = new KnownLosses(grace, System::nanoTime);
    this.requests = requests;
    this.keys = keys;
  }

  /** Notes that a server has answered under a loss epoch. */
  void saw(String server, long lossEpoch) {
    losses.since(server, lossEpoch);
  }

  /**
   * The wait that a script's answer asks for.
   *
   * @param reply that of a script which ends with what to wait for
   * @param from the first field of that
   */
  public CopyWait waitFor(LuaScript.Reply reply, int from) {
    return new CopyWait(this, reply, from, losses, System.nanoTime());
  }

  /** Begins a wait, which is over once nothing is left to wait for. Bounded by the leases. */
  void begin(CopyWait wait) {
    if (wait.left(System.nanoTime()) <= 0) {
      wait.end();
    } else {
      new Watch(wait).run();
    }
  }

  private static long rest(long waited) {
    return Math.min(LONGEST_REST, Math.max(SHORTEST_REST, waited / REST_SHARE));
  }

  /** Returns once no lease of any process is left that was taken before this call. */
  public void awaitLongest() {
    boolean interrupted = Thread.interrupted();
    long end = System.nanoTime() + losses.longest();
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Takes copies off the register that have not polled since the last sweep: of processes that were
   * killed, in a filter whose writers wait for none, because it has no writes. Called by one thread
   * at a time.
   *
   * @param after the time from one sweep to the next, longer than every lease
   */
  void sweep(Duration after) {
    Register before = swept;
    if (before != null && System.nanoTime() - sweptAt < after.toNanos()) {
      return;
    }
    try {
      Register now = Replies.await(nextLook(), RedisConnections.WRITE);
      if (now != null && before != null && now.losses() == before.losses()) {
        Map<String, String> silent = new HashMap<>(now.entries());
        silent.entrySet().retainAll(before.entries().entrySet());
        Replies.await(strike(requests.server(), now.losses(), silent), RedisConnections.WRITE);
      }
      swept = now;
      sweptAt = System.nanoTime();
    } catch (RedisUnavailableException e) {
      log.debug("The register of copies is swept later: {}", e.getMessage());
    }
  }

  /** What writers have waited so far. */
  public CopyWaits waits() {
    return new CopyWaits(adds.sum(), nanos.sum(), ranOut.sum(), copies);
  }

  /** A wait under way, whose steps run on the threads of the client and of the JDK's timer. */
  private final class Watch implements Runnable {

    private final CopyWait wait;
    private final long began = System.nanoTime();

    Watch(CopyWait wait) {
      this.wait = wait;
    }

    @Override
    public void run() {
      long now = System.nanoTime();
      long left = wait.left(now);
      if (left <= 0) {
        end();
      } else if (wait.behind().isEmpty()) {
        later(left, this);
      } else {
        later(Math.min(left, rest(now - began)), this::look);
      }
    }

    private void later(long nanos, Runnable step) {
      CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run).execute(step);
    }

    private void look() {
      long left = Math.max(1, wait.left(System.nanoTime()));
      // A copy, since the look is shared: it may come too late for this wait alone.
      var unused =
          guarded(CopyRegister.this::nextLook)
              .copy()
              .orTimeout(left, TimeUnit.NANOSECONDS)
              .whenComplete(this::looked);
    }

    private void looked(@Nullable Register register, @Nullable Throwable failure) {
      if (register != null) {
        wait.saw(register);
      } else if (failure != null) {
        log.debug("The register of copies was not read: {}", failure.getMessage());
      }
      run();
    }

    private void end() {
      if (wait.behind().isEmpty()) {
        over();
        return;
      }
      // They cost one writer one wait; if this fails, the next one waits for the same copies.
      var unused =
          guarded(() -> strike(wait.server(), wait.losses(), wait.behind()))
              .whenComplete(
                  (struck, failure) -> {
                    ranOut.add(struck == null ? wait.behind().size() : struck);
                    over();
                  });
    }

    /** A client that throws must not leave a writer waiting. */
    private static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> command) {
      try {
        return command.get();
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    private void over() {
      adds.increment();
      nanos.add(System.nanoTime() - began);
      wait.end();
    }
  }

  /** A look that is sent after this call. */
  private CompletableFuture<Register> nextLook() {
    CompletableFuture<Register> mine;
    lock.lock();
    try {
      mine = next == null ? new CompletableFuture<>() : next;
      next = mine;
    } finally {
      lock.unlock();
    }
    sendNext();
    return mine;
  }

  private void sendNext() {
    CompletableFuture<Register> mine;
    lock.lock();
    try {
      mine = next;
      if (running != null || mine == null) {
        return;
      }
      running = mine;
      next = null;
    } finally {
      lock.unlock();
    }
    LOOK.start(requests.only(requests.server()), List.of(keys.head()))
        .inTime(RedisConnections.WRITE)
        .whenComplete((reply, failure) -> looked(mine, reply, failure));
  }

  private void looked(
      CompletableFuture<Register> mine,
      LuaScript.@Nullable Reply reply,
      @Nullable Throwable failure) {
    lock.lock();
    try {
      running = null;
    } finally {
      lock.unlock();
    }
    try {
      if (reply == null || !reply.ok()) {
        mine.completeExceptionally(
            failure == null ? new RedisUnavailableException("No register", null) : failure);
      } else {
        Register register = Register.of(reply);
        copies = register.entries().size();
        mine.complete(register);
      }
    } catch (RuntimeException e) {
      mine.completeExceptionally(e);
    }
    sendNext();
  }

  /** Takes entries off the register that are still the same; how many that were. */
  private CompletableFuture<Long> strike(
      String server, long underLosses, Map<String, String> entries) {
    if (entries.isEmpty()) {
      return CompletableFuture.completedFuture(0L);
    }
    List<Object> args = new ArrayList<>();
    args.add(underLosses);
    entries.forEach(
        (name, entry) -> {
          args.add(name);
          args.add(entry);
        });
    return STRIKE
        .start(requests.only(server), List.of(keys.head()), args.toArray())
        .inTime(RedisConnections.WRITE)
        .thenApply(reply -> reply.number(1));
  }
}
