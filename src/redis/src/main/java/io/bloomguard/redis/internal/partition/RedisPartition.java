package io.bloomguard.redis.internal.partition;

import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.ClaimPart;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.image.ImageFormat;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One partition of a filter: its head, its adds, and all other operations on its keys. */
public final class RedisPartition {

  /**
   * The time of a command of {@link #prepare}: its search ends before a build stops waiting for it.
   */
  private static final Duration PREPARATION = Duration.ofMillis(250);

  private static final Duration SWEEP = Duration.ofMinutes(1);

  private static final long REFUSAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The beginning of each script that changes a partition. */
  public static final LuaScript PREAMBLE =
      ImageFormat.SCRIPT.then(RedisPartition.class, "partition");

  private static final LuaScript SALTS = LuaScript.of(RedisPartition.class, "writers", "salts");
  private static final LuaScript ROLLBACK = PREAMBLE.then(RedisPartition.class, "rollback");
  private static final LuaScript BELIEVE = PREAMBLE.then(RedisPartition.class, "believe");
  private static final LuaScript MAINTAIN =
      withWriters(PREAMBLE).then(RedisPartition.class, "maintain");

  private final PartitionKeys keys;
  private final Fingerprint own;
  private final RedisLink requests;
  private final RedisLink builds;
  private final JournalBound journal;
  private final @Nullable PartitionReplica replica;
  private final RetainedAdds retained;

  /** Whether this process has made the head ahead of a build, and has still to report to it. */
  private volatile boolean unreported;

  private final CopyRegister copies;
  private final PartitionHead head;
  private final HeadCreation creation;
  private final PartitionAdds adds;
  private final PartitionRemovals removals;
  private final PartitionWriter writer;
  private final CheckBatcher checks;
  private volatile long journalBytes;
  private volatile @Nullable String refusal;
  private volatile long refusedAt = System.nanoTime();

  /**
   * @param all the partitions of the filter; the first names the filter's scheme
   */
  public RedisPartition(
      RedisConnections connections,
      PartitionKeys keys,
      Fingerprint own,
      JournalBound journal,
      RecoverySettings settling,
      RedisPartition[] all,
      @Nullable PartitionReplica replica) {
    this.keys = keys;
    this.own = own;
    this.requests = connections.requests(keys.head());
    this.builds = connections.builds(keys.head());
    this.journal = journal;
    this.replica = replica;
    this.retained = new RetainedAdds(journal, System::nanoTime);
    this.copies = new CopyRegister(requests, keys, settling.grace());
    this.head = new PartitionHead(requests, keys, own, retained::isBehind, copies::saw);
    this.creation = new HeadCreation(this, all);
    this.adds = new PartitionAdds(this, creation);
    this.removals = new PartitionRemovals(this);
    this.writer = new PartitionWriter(this, adds, settling);
    this.checks = new CheckBatcher(head, requests, this::reportOlder);
  }

  /** A script followed by what it asks of the list of writers. */
  public static LuaScript withWriters(LuaScript script) {
    return script.then(RedisPartition.class, "writers");
  }

  /** Its keys in Redis. */
  public PartitionKeys keys() {
    return keys;
  }

  /** The filter's name, for messages. */
  String filter() {
    return own.filter();
  }

  /** The name of this process' copy in the register; empty for none. */
  String copyId() {
    return replica == null ? "" : replica.id();
  }

  /** This process' adds. */
  RetainedAdds retained() {
    return retained;
  }

  /** The head as it is now. */
  RedisHead read() {
    return head.read(requests, RedisConnections.WRITE);
  }

  /** The fingerprint that this node expects of an image, its own shape included. */
  public Fingerprint own() {
    return own;
  }

  /** The register of the copies of all processes, as writers see it. */
  public CopyRegister copies() {
    return copies;
  }

  /** The bounds on recent adds. */
  public JournalBound journal() {
    return journal;
  }

  /** The size of the journal in Redis at its last maintenance, in bytes. */
  public long journalBytes() {
    return journalBytes;
  }

  /**
   * Whether every process that may add knows the salts of images. Any other finds a salted image
   * foreign, and its adds would fail.
   */
  public boolean knowsSalts() {
    return SALTS.run(builds(), List.of(keys().writers())).number(1) == 1;
  }

  /** Forgets this process' adds: another scheme has replaced this one. */
  public void forgetAdds() {
    retained.close();
  }

  /** The partition's head, as this process knows it. */
  public PartitionHead head() {
    return head;
  }

  /** The link for checks and adds. */
  public RedisLink requests() {
    return requests;
  }

  /** The link for work that no request waits for. */
  public RedisLink builds() {
    return builds;
  }

  /** This process' replica of the serving image, null for none. */
  public @Nullable PartitionReplica replica() {
    return replica;
  }

  /** Checks a hash in the serving image. Never throws. */
  public Membership check(long hash) {
    Membership known = known(hash);
    if (known != Membership.UNKNOWN) {
      return known;
    }
    return answers() ? checks.check(hash) : Membership.UNKNOWN;
  }

  /**
   * Checks a hash for a caller whose thread must not wait: the answer comes at once or on any
   * thread. Never fails.
   *
   * @param waiting runs work that waits
   */
  public CompletableFuture<Membership> checkAsync(long hash, Executor waiting) {
    Membership known = known(hash);
    if (known != Membership.UNKNOWN) {
      return CompletableFuture.completedFuture(known);
    }
    // Whether the scheme has arrived is read from Redis.
    return keys().arriving()
        ? CompletableFuture.supplyAsync(() -> check(hash), waiting)
        : checks.checkAsync(hash, waiting);
  }

  /** Checks a hash without Redis; {@link Membership#UNKNOWN} if that gives no answer. */
  public Membership known(long hash) {
    return replica == null ? Membership.UNKNOWN : replica.check(hash);
  }

  /**
   * Checks hashes without Redis.
   *
   * @param indexes where the answer to each goes
   * @return false if that gives no answers, whatever was written
   */
  public boolean known(long[] hashes, int[] indexes, Membership[] answers) {
    return replica != null && replica.checkAll(hashes, indexes, answers);
  }

  /** Whether this scheme answers checks: not before it has arrived. Never throws. */
  boolean answers() {
    if (keys().arriving() && !requests().breaker().isOpen()) {
      head.refreshed(head.last());
    }
    return !keys().arriving();
  }

  /**
   * Adds hashes to every image that takes adds, and to the journal. Copies of other processes may
   * lack them until the waits are over.
   *
   * @param claim under which they are added; null for none
   * @throws AddFailedException if they could not be stored
   */
  public Added add(List<Long> hashes, @Nullable ClaimPart claim) {
    if (hashes.isEmpty()) {
      return new Added(new BitSet(), List.of());
    }
    writer.enter();
    long begun = retained.begin();
    PartitionAdds.Order order = PartitionAdds.Order.of(hashes, claim, retained);
    if (claim == null) {
      retained.remember(order.journalled());
    }
    Added added;
    try {
      added =
          claim == null
              ? adds.send(order)
              : retained.once(order.journalled(), () -> adds.send(order));
    } catch (AddFailedException e) {
      refusedAt = System.nanoTime();
      refusal = e.getMessage();
      throw e;
    }
    refusal = null;
    retained.journalled(order.journalled(), begun);
    return added;
  }

  /** Why the last add was not stored, for a minute; null if it was. */
  public @Nullable String lastRefusal() {
    String why = refusal;
    return why != null && System.nanoTime() - refusedAt < REFUSAL_NANOS ? why : null;
  }

  /** Whether checks are UNKNOWN because Redis answers them too late, and no copy answers here. */
  public boolean answersTooLate() {
    return requests().isSlow() && known(0) == Membership.UNKNOWN;
  }

  /**
   * An add that Redis has acknowledged.
   *
   * @param isNew the hashes that were absent from the serving image until then
   * @param waits for the copies that may lack it
   */
  public record Added(BitSet isNew, List<CopyWait> waits) {}

  /** Removes hashes from the serving image, if it is of that generation; how many were removed. */
  public int remove(List<Long> hashes, long generation) {
    return removals.send(hashes, generation);
  }

  /**
   * Sends a script that begins with {@link #PREAMBLE} to the current server of a link, with what
   * this process knows of the partition: it answers {@code HEADLESS} or {@code REREAD} if that is
   * too old.
   *
   * @param view the head as last read
   * @param more keys after those that every such script has
   * @param arguments after those that every such script has
   */
  public LuaScript.Call start(
      LuaScript script, RedisLink link, RedisHead view, List<byte[]> more, Object... arguments) {
    String server = link.server();
    List<byte[]> names = new ArrayList<>(List.of(keys.head(), keys.journal()));
    for (RedisImage image : Arrays.asList(view.serving(), view.building(), view.previous())) {
      names.add(image == null ? keys.head() : image.key());
    }
    names.addAll(more);
    List<Object> all =
        new ArrayList<>(List.of(view.view(), server, head.seenAt(server), retained.settledFor()));
    all.addAll(Arrays.asList(arguments));
    return script.start(link.only(server), names, all.toArray());
  }

  /** Notes an image that is older than one seen before: the next script notes the loss. */
  public void reportOlder() {
    RedisHead view = head.last();
    if (view.valid()) {
      startMaintenance(view);
    }
  }

  private LuaScript.Call startMaintenance(RedisHead view) {
    return start(
        MAINTAIN,
        requests(),
        view,
        List.of(keys().writers()),
        journal.retention().toMillis(),
        journal.span().toMillis());
  }

  /** Creates the head if there is none, or in place of a damaged one. */
  public void create(RedisLink link, Duration timeout, String mode) {
    creation.create(link, timeout, mode);
  }

  /**
   * Creates the head if there is none, and starts a recovery: the doubt about a new head lasts for
   * some time from the first report of one. Does nothing once a head was read.
   *
   * @throws StoreUnavailableException if Redis does not answer, or holds another scheme
   */
  public void prepare() {
    RedisHead view = head.last();
    if (view.condition() == RedisHead.Condition.UNREAD) {
      view = read();
    }
    if (view.condition() == RedisHead.Condition.MISSING) {
      create(requests(), PREPARATION, "keep");
      unreported = true;
      read();
    }
    if (unreported) {
      // Also after a first report that Redis answered too late: the next heartbeat may be far.
      writer.settle();
      unreported = false;
    }
  }

  /**
   * Believes content that only a new generation would end the doubt about, at the word of an
   * operator.
   */
  public void believe() {
    Attempts.until(
        () -> {
          RedisHead view = head.usable(requests());
          return !view.valid()
              || start(BELIEVE, requests(), view, List.of()).await(RedisConnections.WRITE).ok();
        });
    read();
    writer.settle();
  }

  /**
   * Serves the previous image again if that of generation {@code from} serves; false if there is
   * none, or it is not whole.
   */
  public boolean rollback(long from) {
    return Boolean.TRUE.equals(Attempts.of(() -> tryRollback(from)));
  }

  /** Null if the head has changed meanwhile. */
  private @Nullable Boolean tryRollback(long from) {
    RedisHead view = head.usable(builds());
    RedisImage serving = view.serving();
    RedisImage previous = view.previous();
    if (serving != null && serving.generation() != from) {
      // Another's step, or an earlier attempt, whose answer was lost with what to wait for.
      copies().awaitLongest();
      return true;
    }
    if (serving == null || previous == null) {
      return false;
    }
    List<Object> args = new ArrayList<>(serving.change(ImageState.READY, ImageState.RETIRED));
    args.addAll(previous.change(ImageState.RETIRED, ImageState.READY));
    LuaScript.Reply reply =
        start(ROLLBACK, builds(), view, List.of(), args.toArray()).await(builds().timeout());
    head.read(builds(), builds().timeout());
    if (reply.ok()) {
      copies().waitFor(reply, 1).await();
    }
    return reply.outcome() == ScriptOutcome.REREAD ? null : (Boolean) reply.ok();
  }

  /**
   * Follows the head, sends a heartbeat, drops data past its retention, and starts a recovery if
   * Redis has lost writes.
   */
  public void maintain() {
    requests().verify();
    builds().verify();
    RedisHead view = read();
    if (!view.valid()) {
      return;
    }
    writer.settle();
    view = head.last();
    LuaScript.Reply reply = startMaintenance(view).await(RedisConnections.WRITE);
    if (reply.ok()) {
      journalBytes = reply.number(1);
    }
    copies().sweep(SWEEP);
    read();
  }

  /** Sends this process' heartbeat if it is due, and settles what is open. */
  public void heartbeatIfDue() {
    writer.heartbeatIfDue();
  }

  /** Recovers lost adds, as far as this process has them. */
  public void settle() {
    writer.settle();
  }

  /** Notes a beat that a server has shown, so that this process trusts no lower one. */
  public void saw(String server, long beat) {
    RedisHead now = head.last();
    if (now.trust().server().equals(server)) {
      now.saw(beat);
    }
  }

  /** The number of the newest generation seen. */
  public long newestGeneration() {
    return Math.max(writer.newestGeneration(), head.last().last());
  }

  /** Notes that a generation of this number existed: a head with only older ones was put back. */
  public void knowsGeneration(long number) {
    writer.knowsGeneration(number);
  }

  /** Leaves the list of writers. Never throws. */
  public void leave() {
    writer.leave();
  }
}
