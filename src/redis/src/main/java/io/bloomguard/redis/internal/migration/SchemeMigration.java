package io.bloomguard.redis.internal.migration;

import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
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
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The steps by which one scheme of a filter replaces another. Any process that has both can repeat
 * each step, from the point where another process has stopped.
 */
public final class SchemeMigration {

  /** The most looks that find the next scheme incomplete after its build. */
  private static final int UNBUILT = 8;

  private static final Duration POLL = Duration.ofMillis(500);

  /** The longest wait of a built scheme for the end of a doubt. */
  private static final Duration SETTLED = Duration.ofMinutes(1);

  private static final LuaScript MARK = ImageFormat.SCRIPT.then(SchemeMigration.class, "mark");
  private static final LuaScript STEP = LuaScript.of(SchemeMigration.class, "step");
  private static final LuaScript MOVE = LuaScript.of(SchemeMigration.class, "move");

  private final String filter;
  private final RedisGenerations from;
  private final RedisGenerations to;
  private final Duration lateCommits;

  /** The marks in the heads of either, as the scripts compare them. */
  private final String leaving;

  private final String arriving;

  /** The stage of a migration. */
  public enum Stage {
    /** The next scheme has still to be built. */
    UNBUILT,
    /** The next scheme has everything, but is in doubt for a while. */
    DOUBTFUL,
    /** The next scheme stands alone. */
    OVER
  }

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
    this.leaving = HashScheme.Mark.leaving(from.scheme(), to.scheme()).text();
    this.arriving = HashScheme.Mark.arriving(to.scheme(), from.scheme()).text();
  }

  /**
   * Creates the heads of the next scheme, which no process uses yet.
   *
   * @throws StoreUnavailableException if Redis is unreachable, or does not hold the previous scheme
   */
  public void open() {
    forEach(false);
  }

  /**
   * Marks every partition, so that every later add to it reaches both schemes, and waits until
   * every row whose key was added before must have committed. The journal's hashes are of no use to
   * the next scheme, but the source then has their rows.
   *
   * @return the marks
   * @throws CancellationException if cancelled meanwhile
   */
  public List<Marked> await(BooleanSupplier cancelled) {
    while (true) {
      List<Marked> marks = forEach(true);
      Duration left = Duration.ZERO;
      for (Marked mark : marks) {
        Duration of = lateCommits.minus(mark.age());
        left = of.compareTo(left) > 0 ? of : left;
      }
      if (left.isZero()) {
        return marks;
      }
      if (cancelled.getAsBoolean() || Thread.currentThread().isInterrupted()) {
        throw new CancellationException("The build was cancelled");
      }
      LockSupport.parkNanos(Math.min(left.toNanos(), POLL.toNanos()));
    }
  }

  /** Marks every partition, and waits for nothing. */
  public List<Marked> mark() {
    return forEach(true);
  }

  /**
   * Notes that the next scheme was built after {@link #await}.
   *
   * @throws IllegalStateException if a partition has lost its mark since
   */
  public void built(List<Marked> marks) {
    for (int i = 0; i < marks.size(); i++) {
      Marked mark = marks.get(i);
      if (mark.isOfFrom() && !step(i, leaving, "ready", mark.at()).ok()) {
        throw new IllegalStateException(
            "The next generation of filter '"
                + filter
                + "' was given up: Redis lost the mark of a scheme migration, so adds may be"
                + " missing in it");
      }
    }
  }

  /**
   * Marks partitions that have lost their mark and, once the next scheme has everything, replaces
   * the previous one by it.
   */
  public Stage advance() {
    boolean built = forEach(true).stream().allMatch(Marked::built);
    FilterStatus status = to.status();
    boolean ready = status.state() == FilterState.READY;
    if (!to.hasArrived() && !(built && ready)) {
      return built && status.isSettling() ? Stage.DOUBTFUL : Stage.UNBUILT;
    }
    List<String> closings = close();
    // Partition 0 comes last: a process that finds it in place knows that all are.
    for (int i = to.partitions().length - 1; i >= 0; i--) {
      if (!move(i, closings.get(i))) {
        return Stage.UNBUILT;
      }
    }
    for (int i = to.partitions().length - 1; i >= 0; i--) {
      step(i, arriving, "end", to.scheme().text());
    }
    from.look();
    to.look();
    return Stage.OVER;
  }

  /**
   * Advances until the next scheme stands alone: until then a copy of the previous one may still
   * deny a row that the build has found.
   *
   * @throws IllegalStateException if that is not so in time; the maintenance of any process goes on
   */
  public void finish() {
    long end = System.nanoTime() + SETTLED.toNanos();
    int unbuilt = 0;
    for (Stage stage = advance(); stage != Stage.OVER; stage = advance()) {
      if (stage == Stage.UNBUILT && ++unbuilt == UNBUILT || System.nanoTime() - end >= 0) {
        throw new IllegalStateException(
            "The next generation of filter '"
                + filter
                + "' is built, but Redis may have lost writes since: the one before serves on,"
                + " until the filter has moved to its next scheme by itself, or was rebuilt");
      }
      for (RedisPartition partition : to.partitions()) {
        partition.settle();
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
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
        STEP.run(partition.builds(), names.subList(0, 1), held, "end", own);
      } else {
        STEP.run(partition.builds(), names, held, "drop");
      }
      partition.head().read(partition.builds(), RedisConnections.SLOW);
    }
  }

  /**
   * Lets no copy of the previous scheme take a lease from here on, and waits until none has one.
   *
   * @return for each partition the name of its closing, empty if the previous scheme lacks it
   */
  private List<String> close() {
    List<String> closings = new ArrayList<>();
    String name = UUID.randomUUID().toString();
    for (int i = 0; i < to.partitions().length; i++) {
      closings.add(close(i, name));
    }
    if (closings.stream().anyMatch(closing -> !closing.isEmpty())) {
      to.partitions()[0].copies().awaitLongest();
    }
    return closings;
  }

  private String close(int index, String name) {
    if (!isOfFrom(index)) {
      return "";
    }
    LuaScript.Reply reply = step(index, leaving, "close", name);
    return reply.ok() ? reply.text(1) : "";
  }

  private LuaScript.Reply step(int index, String scheme, String what, String value) {
    RedisPartition partition = to.partitions()[index];
    byte[] head = partition.keys().current().head();
    return STEP.run(partition.builds(), List.of(head), scheme, what, value);
  }

  /** Moves the next scheme into its place in one partition; false if some of it is missing. */
  public boolean move(int index) {
    String closing = close(index, UUID.randomUUID().toString());
    to.partitions()[index].copies().awaitLongest();
    return move(index, closing);
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

  private List<Marked> forEach(boolean mark) {
    List<Marked> marks = new ArrayList<>();
    // Partition 0 comes first: if two migrations begin at once, it decides.
    for (int i = 0; i < to.partitions().length; i++) {
      marks.add(mark(i, mark));
    }
    return marks;
  }

  private Marked mark(int index, boolean mark) {
    to.partitions()[index].builds().awaitConnected(RedisConnections.CONNECT);
    Marked marked = Attempts.of(() -> tryMark(to.partitions()[index], index, mark));
    if (marked == null) {
      throw new StoreUnavailableException(
          "The head of filter '" + filter + "' in Redis is lost again and again", null);
    }
    return marked;
  }

  /** Null if a lost head had to be made. */
  private @Nullable Marked tryMark(RedisPartition partition, int index, boolean mark) {
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
                mark ? "1" : "",
                server)
            .await(link.timeout());
    return switch (reply.outcome()) {
      case OK -> {
        Duration age = Duration.ofNanos(1000 * Long.parseLong(reply.text(2)));
        yield new Marked(reply.text(1), age, reply.text(3).equals("1"));
      }
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
   * A marked partition.
   *
   * @param at the time of the mark, as the script writes it; empty if the previous scheme has no
   *     such partition, or no longer has it
   * @param age how long every add has reached the next scheme, which has lost none since
   * @param built whether the next scheme has every add from before
   */
  public record Marked(String at, Duration age, boolean built) {

    static final Marked MOVED = new Marked("", Duration.ofDays(36_500), true);

    boolean isOfFrom() {
      return !at.isEmpty();
    }

    /** The moment from which on every add reaches the next scheme too. */
    public Instant moment() {
      return Instant.EPOCH.plus(isOfFrom() ? Long.parseLong(at) : 0, ChronoUnit.MICROS);
    }
  }
}
