package io.bloomguard.redis.internal.build;

import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildStatusStore;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.client.SharedFact;
import io.bloomguard.redis.internal.client.Utf8;
import io.bloomguard.redis.internal.image.PartitionKeys;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The status of one filter's builds and the time between them, two of the facts that processes
 * share of it.
 *
 * <p>A build runs as long as the lock holds its run, and no longer: once the lock of a dead process
 * has ended, its progress is ignored. The times of reports are by the clock of the process that
 * built.
 */
public final class RedisRebuildStatusStore implements RebuildStatusStore {

  private static final Logger log = LoggerFactory.getLogger(RedisRebuildStatusStore.class);

  private final String filter;
  private final RedisLink requests;
  private final RedisLink builds;
  private final byte[] lock;
  private final SharedFact<RebuildBoard> board;
  private final SharedFact<Cooldown> cooldown;

  /** The end of this process' last build, until Redis knows it. */
  private final AtomicReference<@Nullable Untold> untold = new AtomicReference<>();

  private volatile RebuildStatus seen = RebuildStatus.NONE;

  /**
   * @param first the keys of the filter's partition 0
   */
  public RedisRebuildStatusStore(String filter, RedisConnections connections, PartitionKeys first) {
    byte[] head = first.current().head();
    this.filter = filter;
    this.requests = connections.requests(head);
    this.builds = connections.builds(head);
    this.lock = first.lock();
    this.board = new SharedFact<>(head, "builds", false, RebuildBoard::parse, RebuildBoard::text);
    this.cooldown = new SharedFact<>(head, "cooldown", false, Cooldown::parse, Cooldown::text);
  }

  @Override
  public RebuildStatus read() {
    RebuildProgress running = RebuildProgress.NONE;
    try {
      // The lock first: its run has told nothing yet, or is on the board.
      CompletableFuture<byte[]> holder = requests.call(c -> c.get(lock));
      RebuildBoard there = board.read(requests, RedisConnections.WRITE);
      byte[] run = Replies.await(holder, RedisConnections.WRITE);
      if (run != null) {
        running = there.progress(Utf8.text(run));
      }
      seen =
          new RebuildStatus(
              running, RebuildBoard.report(there.last()), RebuildBoard.report(there.success()));
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': the status of its builds cannot be read: {}", filter, e.getMessage());
    }
    RebuildReport last = seen.last();
    RebuildReport lastSuccess = seen.lastSuccess();
    Untold mine = untold.get();
    if (mine != null) {
      last = mine.report;
      lastSuccess = mine.succeeded() ? mine.report : lastSuccess;
    }
    return new RebuildStatus(running, last, lastSuccess);
  }

  @Override
  public boolean cancel() {
    byte[] run = Replies.await(builds.call(c -> c.get(lock)), builds.timeout());
    if (run != null) {
      board.await(builds, builds.timeout(), (there, now) -> there.cancelling(Utf8.text(run)));
    }
    return run != null;
  }

  /** Writes the progress of a build, and cancels it if requested. Never throws. */
  void tell(long token, String run, RunningBuild build) {
    RebuildProgress progress = build.progress();
    try {
      RebuildBoard there =
          board.await(
              builds, RedisConnections.WRITE, (known, now) -> known.running(token, progress));
      if (run.equals(there.cancel())) {
        build.cancel();
      }
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': its progress was not written: {}", filter, e.getMessage());
    }
  }

  /** Writes the end of a build; if Redis is unreachable, again with each call of {@link #flush}. */
  void ended(long token, RebuildReport report) {
    untold.set(new Untold(token, report));
    flush();
  }

  /** Writes the end of a build that Redis does not know yet. Never throws. */
  public void flush() {
    Untold mine = untold.get();
    if (mine == null) {
      return;
    }
    try {
      board.await(
          builds,
          RedisConnections.WRITE,
          (there, now) -> there.ended(mine.token, mine.report, mine.succeeded()));
      untold.compareAndSet(mine, null);
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': the end of a build was not written: {}", filter, e.getMessage());
    }
  }

  private record Untold(long token, RebuildReport report) {

    boolean succeeded() {
      return report.outcome() == RebuildOutcome.SUCCEEDED;
    }
  }

  /** The time until the next requested rebuild may begin; zero if it may. */
  public Duration cooldown() {
    return left((there, now) -> there);
  }

  /** Starts a cooldown, unless one is on; returns what is left of that, zero if this one began. */
  public Duration startCooldown(Duration length) {
    if (length.toMillis() < 1) {
      return Duration.ZERO;
    }
    String mine = UUID.randomUUID().toString();
    long micros = TimeUnit.MILLISECONDS.toMicros(length.toMillis());
    Duration left =
        left((there, now) -> there.end > now ? there : new Cooldown(mine, now + micros));
    return cooldown.known().by.equals(mine) ? Duration.ZERO : left;
  }

  private Duration left(SharedFact.Change<Cooldown> change) {
    builds.awaitConnected(RedisConnections.CONNECT);
    long end = cooldown.await(builds, builds.timeout(), change).end;
    return Duration.of(Math.max(0, end - cooldown.now()), ChronoUnit.MICROS);
  }

  /**
   * A cooldown.
   *
   * @param by the request that began it
   * @param end in microseconds of Redis' clock
   */
  private record Cooldown(String by, long end) {

    static Cooldown parse(String text) {
      int bar = text.indexOf('|');
      return bar < 0
          ? new Cooldown("", 0)
          : new Cooldown(text.substring(bar + 1), Long.parseLong(text.substring(0, bar)));
    }

    String text() {
      return end + "|" + by;
    }
  }
}
