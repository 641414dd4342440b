package io.bloomguard.redis.internal.build;

import io.bloomguard.generation.RebuildOutcome;
import io.bloomguard.generation.RebuildProgress;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RebuildStatus;
import io.bloomguard.generation.RebuildStatusStore;
import io.bloomguard.generation.RunningBuild;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Utf8;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The status board of one filter's builds: a hash beside the build's lock, in partition 0.
 *
 * <p>A build runs as long as the lock holds its run, and no longer: once the lock of a dead process
 * has ended, its progress in the hash is ignored. The hash holds the progress ({@code running}),
 * the ends of builds ({@code last}, {@code success}), and the run that must stop ({@code cancel}).
 * Lines are fenced by their build's token, so that a late one never covers that of a later build.
 * Their times are by the clock of the process that built.
 */
public final class RedisRebuildStatusStore implements RebuildStatusStore {

  private static final Logger log = LoggerFactory.getLogger(RedisRebuildStatusStore.class);
  private static final LuaScript TELL = LuaScript.of(RedisRebuildStatusStore.class, "tell");
  private static final LuaScript READ = LuaScript.of(RedisRebuildStatusStore.class, "read");
  private static final LuaScript CANCEL = LuaScript.of(RedisRebuildStatusStore.class, "cancel");

  private final String filter;
  private final RedisLink requests;
  private final RedisLink builds;
  private final PartitionKeys keys;

  /** The end of this process' last build, until Redis knows it. */
  private final AtomicReference<@Nullable Untold> untold = new AtomicReference<>();

  private volatile RebuildStatus seen = RebuildStatus.NONE;

  public RedisRebuildStatusStore(String filter, RedisPartition first) {
    this.filter = filter;
    this.requests = first.requests();
    this.builds = first.builds();
    this.keys = first.keys();
  }

  @Override
  public RebuildStatus read() {
    RebuildProgress running = RebuildProgress.NONE;
    try {
      LuaScript.Reply reply =
          READ.start(requests, List.of(keys.lock(), keys.builds())).await(RedisConnections.WRITE);
      String run = text(reply, 1);
      if (!run.isEmpty()) {
        running = RebuildStatusLine.progress(text(reply, 2), run);
      }
      seen =
          new RebuildStatus(
              running,
              RebuildStatusLine.report(text(reply, 3)),
              RebuildStatusLine.report(text(reply, 4)));
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
    return CANCEL.run(builds, List.of(keys.lock(), keys.builds())).ok();
  }

  /** Writes the progress of a build, and cancels it if requested. Never throws. */
  void tell(long token, String run, RunningBuild build) {
    try {
      String line = RebuildStatusLine.of(token, build.progress());
      if (run.equals(text(tell(token, List.of("running", line)), 1))) {
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
    String line = RebuildStatusLine.of(mine.token, mine.report);
    List<String> lines = new ArrayList<>(List.of("last", line));
    if (mine.succeeded()) {
      lines.addAll(List.of("success", line));
    }
    try {
      tell(mine.token, lines);
      untold.compareAndSet(mine, null);
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': the end of a build was not written: {}", filter, e.getMessage());
    }
  }

  private LuaScript.Reply tell(long token, List<String> lines) {
    List<Object> arguments = new ArrayList<>(List.of(token));
    lines.forEach(line -> arguments.add(Utf8.bytes(line)));
    return TELL.start(builds, List.of(keys.builds()), arguments.toArray())
        .await(RedisConnections.WRITE);
  }

  private static String text(LuaScript.Reply reply, int index) {
    return Utf8.text((byte[]) reply.fields().get(index));
  }

  private record Untold(long token, RebuildReport report) {

    boolean succeeded() {
      return report.outcome() == RebuildOutcome.SUCCEEDED;
    }
  }
}
