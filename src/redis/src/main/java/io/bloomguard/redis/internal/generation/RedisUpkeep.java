package io.bloomguard.redis.internal.generation;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.redis.internal.build.AbandonedBuild;
import io.bloomguard.redis.internal.build.RedisRebuildStatusStore;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The regular work on the partitions of a filter, and the warnings for its operator. */
final class RedisUpkeep {

  private static final String EVICTION =
      "Redis has a memory limit and an eviction policy (allkeys-...) that may remove the filter, which"
          + " then answers UNKNOWN until a rebuild: set maxmemory-policy to noeviction or"
          + " volatile-...";

  /** The codes by which a server refuses writes and goes on to answer reads. */
  private static final Pattern REFUSED_WRITE =
      Pattern.compile("\\b(NOREPLICAS|MISCONF|READONLY|OOM) ");

  /**
   * The pause after a preparation that failed: it may have searched through Redis' keys for long.
   */
  private static final long NOT_PREPARED_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger log = LoggerFactory.getLogger(RedisUpkeep.class);

  private final String filter;
  private final RedisPartition[] partitions;
  private final RedisRebuildStatusStore rebuilds;
  private final RedisEnforcement enforcement;
  private final AbandonedBuild abandoned = new AbandonedBuild();
  private volatile boolean warned;
  private volatile long notPreparedUntil = System.nanoTime();

  /** The reason why the module refused the last build; null if it did not. */
  private volatile @Nullable String refusal;

  /** The code by which the server refused the last upkeep's writes; null if it took them. */
  private volatile @Nullable String refusedWrite;

  RedisUpkeep(
      String filter,
      RedisPartition[] partitions,
      RedisRebuildStatusStore rebuilds,
      RedisEnforcement enforcement) {
    this.filter = filter;
    this.partitions = partitions;
    this.rebuilds = rebuilds;
    this.enforcement = enforcement;
  }

  @Nullable String refusal() {
    return refusal;
  }

  /** Notes the reason why a build could not begin; null if it could. */
  void refused(@Nullable String why) {
    refusal = why;
  }

  void maintain() {
    enforcement.maintain();
    rebuilds.flush();
    warnOnce();
    String refused = null;
    for (RedisPartition partition : partitions) {
      try {
        partition.maintain();
      } catch (StoreUnavailableException | AddFailedException e) {
        log.debug("Filter '{}' could not be maintained: {}", filter, e.getMessage());
        Matcher code = REFUSED_WRITE.matcher(String.valueOf(e.getMessage()));
        refused = code.find() ? code.group(1) : refused;
      }
    }
    refusedWrite = refused;
    try {
      abandoned.clear(partitions);
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}' could not be maintained: {}", filter, e.getMessage());
    }
  }

  /** Creates missing heads ahead of the build, so that the doubt about them ends earlier. */
  void prepare() {
    if (System.nanoTime() - notPreparedUntil < 0) {
      return;
    }
    try {
      for (RedisPartition partition : partitions) {
        partition.prepare();
      }
    } catch (StoreUnavailableException e) {
      log.debug("Filter '{}' could not be prepared: {}", filter, e.getMessage());
      if (partitions[0].head().last().condition() != RedisHead.Condition.UNREAD) {
        notPreparedUntil = System.nanoTime() + NOT_PREPARED_NANOS;
      }
    }
  }

  void heartbeat() {
    for (RedisPartition partition : partitions) {
      try {
        partition.heartbeatIfDue();
      } catch (StoreUnavailableException e) {
        log.debug("Filter '{}' sent no heartbeat: {}", filter, e.getMessage());
      }
    }
  }

  List<String> warnings() {
    String refused = refusal;
    if (refused != null) {
      return List.of("No build can begin: " + refused);
    }
    String write = refusedWrite;
    if (write != null) {
      return List.of(
          "Redis refuses writes with "
              + write
              + ": checks go on, adds and builds fail, and each process loads for itself");
    }
    for (RedisPartition partition : partitions) {
      RedisSession session = partition.requests().session();
      if (session != null && session.evictsAnything()) {
        return List.of(EVICTION);
      }
    }
    return List.of();
  }

  private void warnOnce() {
    List<String> now = warnings();
    if (!now.isEmpty() && !warned) {
      log.warn("Filter '{}': {}", filter, now.get(0));
    }
    warned = !now.isEmpty();
  }
}
