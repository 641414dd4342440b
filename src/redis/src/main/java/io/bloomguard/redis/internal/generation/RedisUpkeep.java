package io.bloomguard.redis.internal.generation;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.internal.verify.Manual;
import io.bloomguard.redis.internal.build.AbandonedBuild;
import io.bloomguard.redis.internal.build.BuildOrigin;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.Replies;
import io.bloomguard.redis.internal.client.Utf8;
import io.bloomguard.redis.internal.client.WarningLog;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The regular work on the partitions of a filter, and the warnings for its operator. */
public final class RedisUpkeep {

  private static final String EVICTION =
      "Redis has a memory limit and an eviction policy (allkeys-...) that may remove the filter,"
          + " which then answers UNKNOWN until a rebuild: set maxmemory-policy to noeviction or"
          + " volatile-...";

  private static final String FOREIGN =
      "Redis holds another filter of this name than before, or an older one: it was emptied, put"
          + " back from a dump, or exchanged for another (SWAPDB, an address that moved). Every key"
          + " is UNKNOWN until the next build; a filter without a source stays so until an operator"
          + " arms it with \"force\": true";

  private static final byte[] ORIGIN = Utf8.bytes("origin");

  private static final String OTHER_SOURCE =
      "its generation in Redis was built from another database than the one that this process"
          + " reads. If two environments share this Redis, each rejects keys of the other: give"
          + " each environment a key-prefix or a secret of its own (bloomguard.redis.key-prefix,"
          + " bloomguard.hash-secret). If the database was replaced, rebuild the filter";

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
  private final FilterParts parts;
  private final AbandonedBuild abandoned = new AbandonedBuild();
  private final WarningLog warningLog;
  private volatile boolean foreign;

  /** The hashed identity of this process' source, to be compared once; null for none. */
  private volatile @Nullable String source;

  /** Why no absence holds here; empty if each does. */
  private final String doubt;

  /** The settings of this process' builds. */
  private final BuildOrigin origin;

  /** The image whose origin was compared last, empty for none. Used by one thread at a time. */
  private String compared = "";

  private volatile long notPreparedUntil = System.nanoTime();

  /** What the server refused of the last upkeep, as a sentence; null for nothing. */
  private volatile @Nullable String refused;

  /** What the server refused of the last reading of the status; null for nothing. */
  private volatile @Nullable String unread;

  RedisUpkeep(FilterParts parts, RedisPartition[] partitions, String doubt) {
    this.parts = parts;
    this.filter = parts.filter().name();
    this.partitions = partitions;
    this.origin = parts.origin();
    this.doubt = doubt;
    this.warningLog = new WarningLog(parts.filter().name());
  }

  /** Notes why the status could not be read; null if it could. */
  void unread(@Nullable RedisUnavailableException why) {
    unread = why == null || !why.isRefusal() ? null : needed(why.getMessage());
  }

  private static String needed(@Nullable String why) {
    return why
        + ". Give the user of Redis the rights that this page names: "
        + Manual.page("operations.md#redis");
  }

  private static @Nullable String refused(RuntimeException e) {
    String words = String.valueOf(e.getMessage());
    Matcher code = REFUSED_WRITE.matcher(words);
    if (code.find()) {
      return "Redis refuses writes with "
          + code.group(1)
          + ": checks go on, adds and builds fail, and each process loads for itself. "
          + words;
    }
    Throwable cause = e instanceof AddFailedException ? e.getCause() : e;
    return cause instanceof RedisUnavailableException unavailable && unavailable.isRefusal()
        ? needed(words)
        : null;
  }

  public void maintain() {
    parts.enforcement().maintain();
    parts.board().flush();
    warningLog.look(problems(), told());
    String latest = null;
    for (RedisPartition partition : partitions) {
      try {
        partition.maintain();
      } catch (StoreUnavailableException | AddFailedException e) {
        log.debug("Filter '{}' could not be maintained: {}", filter, e.getMessage());
        String why = refused(e);
        latest = why == null ? latest : why;
      }
    }
    refused = latest;
    tellOfForeign();
    compareOrigin();
    try {
      abandoned.clear(partitions);
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}' could not be maintained: {}", filter, e.getMessage());
    }
  }

  /** Sets the hashed identity of this process' source, to be compared once. */
  public void comesFrom(String hashed) {
    source = hashed;
  }

  /** Compares the origin of each serving image with this process, once. */
  private void compareOrigin() {
    RedisPartition first = partitions[0];
    RedisImage serving = first.head().last().serving();
    String hashed = source;
    if (serving == null || serving.id().equals(compared) && hashed == null) {
      return;
    }
    try {
      byte[] held =
          Replies.await(
              first.requests().call(c -> c.hget(first.keys().head(), ORIGIN)),
              RedisConnections.WRITE);
      BuildOrigin there = BuildOrigin.parse(held == null ? null : Utf8.text(held), serving.id());
      if (there != null) {
        warnOf(there, hashed, !serving.id().equals(compared));
      }
      compared = serving.id();
      if (hashed != null) {
        source = null;
      }
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': its origin is compared later: {}", filter, e.getMessage());
    }
  }

  private void warnOf(BuildOrigin there, @Nullable String hashed, boolean isNew) {
    if (hashed != null && there.isOfAnotherSource(origin.from(hashed))) {
      log.warn("Filter '{}': {}", filter, OTHER_SOURCE);
    }
    List<String> differences = there.differences(origin);
    if (isNew && !differences.isEmpty()) {
      log.warn(
          "Filter '{}' was built in Redis with other settings than those of this process: {}"
              + " (bloomguard.filters.{}). A build applies those of its process, and the journal is"
              + " as long as the shortest: use the same on every node",
          filter,
          String.join("; ", differences),
          filter);
    }
  }

  /** Says once that another filter was met in place of the one that this process knows. */
  private void tellOfForeign() {
    boolean met = false;
    boolean waits = false;
    for (RedisPartition partition : partitions) {
      met |= partition.head().takeMet();
      waits |= partition.head().isForeign();
    }
    if ((met || waits) && !foreign) {
      log.error("Filter '{}': {}", filter, FOREIGN);
    }
    foreign = waits;
  }

  /** Creates missing heads ahead of the build, so that the doubt about them ends earlier. */
  public void prepare() {
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

  public void heartbeat() {
    for (RedisPartition partition : partitions) {
      try {
        partition.heartbeatIfDue();
      } catch (StoreUnavailableException e) {
        log.debug("Filter '{}' sent no heartbeat: {}", filter, e.getMessage());
      }
    }
  }

  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(told());
    if (foreign) {
      warnings.add(FOREIGN);
    }
    return warnings;
  }

  /** What is logged when it begins; the log has another filter's content as an error. */
  private List<String> told() {
    Set<String> warnings = new LinkedHashSet<>(problems());
    if (!doubt.isEmpty() && !partitions[0].keys().arriving()) {
      warnings.add(doubt);
    }
    for (RedisPartition partition : partitions) {
      RedisSession session = partition.requests().session();
      if (session != null) {
        Stream.of(refused, unread, partition.lastRefusal())
            .filter(Objects::nonNull)
            .forEach(warnings::add);
        if (session.evictsAnything()) {
          warnings.add(EVICTION);
        }
      }
    }
    return List.copyOf(warnings);
  }

  /** What keeps checks from an answer at present. */
  private List<String> problems() {
    return Arrays.stream(partitions)
        .map(RedisUpkeep::problem)
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  private static @Nullable String problem(RedisPartition partition) {
    if (partition.head().isForeign()) {
      return null;
    }
    RedisLink link = partition.requests();
    String why = link.unconnected();
    if (why == null && partition.answersTooLate()) {
      why = link.problem();
    }
    return why == null && link.session() != null ? RedisStatus.doubt(partition) : why;
  }
}
