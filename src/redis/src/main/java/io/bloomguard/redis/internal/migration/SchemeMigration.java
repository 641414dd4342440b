package io.bloomguard.redis.internal.migration;

import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.generation.RedisGenerations;
import io.bloomguard.redis.internal.image.ForeignHead;
import io.bloomguard.redis.internal.image.HashScheme;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The steps by which one scheme of a filter replaces another. Any process that has both can repeat
 * each step, from the point where another process has stopped.
 */
public final class SchemeMigration {

  private static final Duration POLL = Duration.ofMillis(500);

  private static final LuaScript MARK = ImageFormat.SCRIPT.then(SchemeMigration.class, "mark");
  private static final LuaScript CLOSE = LuaScript.of(SchemeMigration.class, "close");
  private static final LuaScript MOVE = LuaScript.of(SchemeMigration.class, "move");
  private static final LuaScript END = LuaScript.of(SchemeMigration.class, "end");

  private final String filter;
  private final RedisGenerations from;
  private final RedisGenerations to;
  private final Duration lateCommits;

  /** The mark in the heads of the next scheme, as the scripts compare it. */
  private final String arriving;

  /**
   * Creates a migration, whether it has begun or not.
   *
   * @param lateCommits how long after its add a row may commit
   */
  public SchemeMigration(
      String filter, RedisGenerations from, RedisGenerations to, Duration lateCommits) {
    this.filter = filter;
    this.from = from;
    this.to = to;
    this.lateCommits = lateCommits;
    this.arriving = HashScheme.Mark.arriving(to.scheme(), from.scheme()).text();
  }

  /**
   * Creates the heads of the next scheme, which no process uses yet.
   *
   * @throws StoreUnavailableException if Redis is unreachable, or does not hold the previous scheme
   */
  public void open() {
    forEach("prepare");
  }

  /**
   * Marks every partition for a registered build, so that every later add to it reaches both
   * schemes.
   *
   * @param token the build's fencing token
   */
  public Marked mark(long token) {
    return forEach(Long.toString(token));
  }

  /**
   * Marks every partition, and waits until every row whose key was added before must have
   * committed. The journal's hashes are of no use to the next scheme, but the source then has their
   * rows.
   *
   * @throws CancellationException if cancelled meanwhile
   */
  public Marked await(long token, BooleanSupplier cancelled) {
    while (true) {
      Marked mark = mark(token);
      Duration left = lateCommits.minus(mark.age());
      if (left.isNegative() || left.isZero()) {
        return mark;
      }
      if (cancelled.getAsBoolean() || Thread.currentThread().isInterrupted()) {
        throw new CancellationException("The build was cancelled");
      }
      LockSupport.parkNanos(Math.min(left.toNanos(), POLL.toNanos()));
    }
  }

  /**
   * Replaces the previous scheme by the built one: until then a copy of the previous one may still
   * deny a row that the build has found.
   *
   * @throws IllegalStateException if it cannot; the maintenance of any process tries again
   */
  public void finish() {
    if (replace() != ScriptOutcome.OK) {
      throw new IllegalStateException(
          "The next generation of filter '"
              + filter
              + "' is built, but Redis has lost the mark of its scheme migration, or other writes:"
              + " the one before serves on, until the filter has moved to its next scheme by"
              + " itself, or was rebuilt");
    }
  }

  /**
   * Marks partitions that have lost their mark and, once the next scheme has everything, replaces
   * the previous one by it.
   *
   * @return OK if the next scheme stands alone, UNSETTLED if it is built, but in doubt for a while
   */
  public ScriptOutcome advance() {
    forEach("again");
    return replace();
  }

  private ScriptOutcome replace() {
    RedisPartition[] partitions = to.partitions();
    List<String> closings = new ArrayList<>();
    for (int i = 0; i < partitions.length; i++) {
      LuaScript.Reply reply = close(i);
      if (reply != null && !reply.ok() && reply.outcome() != ScriptOutcome.MOVED) {
        return reply.outcome();
      }
      closings.add(reply != null && reply.ok() ? reply.text(1) : "");
    }
    if (closings.stream().anyMatch(closing -> !closing.isEmpty())) {
      partitions[0].copies().awaitLongest();
    }
    // Partition 0 comes last: a process that finds it in place knows that all are.
    for (int i = partitions.length - 1; i >= 0; i--) {
      if (!move(i, closings.get(i))) {
        return ScriptOutcome.INCOMPLETE;
      }
    }
    for (int i = partitions.length - 1; i >= 0; i--) {
      List<byte[]> head = List.of(partitions[i].keys().current().head());
      END.run(partitions[i].builds(), head, arriving, to.scheme().text());
    }
    from.look();
    to.look();
    return ScriptOutcome.OK;
  }

  /**
   * Repairs the partitions that Redis has put back after the end of a migration: removes its marks,
   * and drops heads of another scheme than partition 0's, so that they are lost rather than foreign
   * for good. Partition 0 changes last, so all others had its scheme before.
   */
  public static void repair(RedisGenerations alone) {
    String own = alone.scheme().text();
    RedisPartition[] partitions = alone.partitions();
    RedisPartition root = partitions[0];
    for (int i = 1; i < partitions.length; i++) {
      RedisPartition partition = partitions[i];
      String held = partition.head().last().scheme();
      // In this order: partition 0 is read after the other, which must not change until then.
      if (held.isEmpty()
          || held.equals(own)
          || !root.head().read(root.builds(), RedisConnections.SLOW).scheme().equals(own)
          || !root.head().last().valid()) {
        continue;
      }
      List<byte[]> names = partition.keys().place().all();
      if (held.startsWith(own + "<")) {
        END.run(partition.builds(), names, held, own);
      } else {
        END.run(partition.builds(), names, held, "");
      }
      partition.head().read(partition.builds(), RedisConnections.SLOW);
    }
  }

  /** Lets no copy of the previous scheme take a lease; null if it has no such partition. */
  private LuaScript.@Nullable Reply close(int index) {
    RedisPartition partition = to.partitions()[index];
    PartitionKeys keys = partition.keys();
    return isOfFrom(index)
        ? CLOSE.run(
            partition.builds(),
            List.of(keys.current().head(), keys.next().head()),
            from.scheme().text(),
            to.scheme().text())
        : null;
  }

  /** Moves the next scheme into its place in one partition; false if some of it is missing. */
  public boolean move(int index) {
    LuaScript.Reply reply = close(index);
    to.partitions()[index].copies().awaitLongest();
    return move(index, reply != null && reply.ok() ? reply.text(1) : "");
  }

  private boolean move(int index, String closing) {
    return ScriptOutcome.OK == Attempts.of(() -> tryMove(to.partitions()[index], index, closing));
  }

  /** Null if the head has changed meanwhile. */
  private @Nullable ScriptOutcome tryMove(RedisPartition partition, int index, String closing) {
    List<byte[]> names = new ArrayList<>(partition.keys().current().all());
    names.addAll(partition.keys().next().all());
    String view = "";
    if (isOfFrom(index)) {
      RedisPartition old = from.partitions()[index];
      RedisHead head = old.head().read(old.builds(), old.builds().timeout());
      view = head.view();
      for (RedisImage image : Arrays.asList(head.serving(), head.building(), head.previous())) {
        if (image != null) {
          names.add(image.key());
        }
      }
    }
    ScriptOutcome outcome =
        MOVE.run(partition.builds(), names, view, to.scheme().text(), arriving, closing).outcome();
    return outcome == ScriptOutcome.REREAD ? null : outcome;
  }

  private boolean isOfFrom(int index) {
    return index < from.partitions().length;
  }

  /** The mark that every partition has, or gets. */
  private Marked forEach(String mark) {
    Marked latest = Marked.MOVED;
    // Partition 0 comes first: if two migrations begin at once, it decides.
    for (int i = 0; i < to.partitions().length; i++) {
      int index = i;
      to.partitions()[i].builds().awaitConnected(RedisConnections.CONNECT);
      Marked of = Attempts.of(() -> tryMark(to.partitions()[index], index, mark));
      if (of == null) {
        throw new StoreUnavailableException(
            "The head of filter '" + filter + "' in Redis is lost again and again", null);
      }
      latest =
          new Marked(
              of.since().isAfter(latest.since()) ? of.since() : latest.since(),
              of.age().compareTo(latest.age()) < 0 ? of.age() : latest.age());
    }
    return latest;
  }

  /** Null if a lost head had to be made. */
  private @Nullable Marked tryMark(RedisPartition partition, int index, String mark) {
    RedisLink link = partition.builds();
    String server = link.server();
    List<byte[]> names = new ArrayList<>(List.of(partition.keys().current().head()));
    names.addAll(partition.keys().next().all());
    LuaScript.Reply reply =
        MARK.start(
                link.only(server),
                names,
                from.scheme().text(),
                to.scheme().text(),
                isOfFrom(index) ? "1" : "",
                server,
                mark)
            .await(link.timeout());
    return switch (reply.outcome()) {
      case OK ->
          new Marked(
              Instant.EPOCH.plus(Long.parseLong(reply.text(1)), ChronoUnit.MICROS),
              Duration.of(Long.parseLong(reply.text(2)), ChronoUnit.MICROS));
      case MOVED -> Marked.MOVED;
      case HEADLESS -> {
        RedisPartition lost = partition.keys().arriving() ? from.partitions()[index] : partition;
        lost.create(link, link.timeout(), "keep");
        yield null;
      }
      default ->
          throw new StoreUnavailableException(
              "Filter '" + filter + "': " + ForeignHead.message(ForeignHead.unknown(filter)), null);
    };
  }

  /**
   * The mark of a partition, or the latest of all.
   *
   * @param since the time since which every add reaches the next scheme, by Redis' clock
   * @param age the time that has passed since then
   */
  public record Marked(Instant since, Duration age) {

    static final Marked MOVED = new Marked(Instant.EPOCH, Duration.ofDays(36_500));
  }
}
