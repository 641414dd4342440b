package io.bloomguard.redis.internal.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.BlockGeometry;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.ReplicaSettings;
import io.bloomguard.generation.internal.ReplicatedStore.CopyWaits;
import io.bloomguard.generation.internal.claim.Claim;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.image.ImageSet;
import io.bloomguard.redis.internal.build.RedisBuild;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.image.HashScheme;
import io.bloomguard.redis.internal.image.PartitionKeys;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.bloomguard.redis.internal.partition.JournalBound;
import io.bloomguard.redis.internal.partition.PartitionCheck;
import io.bloomguard.redis.internal.partition.PartitionReplica;
import io.bloomguard.redis.internal.partition.RecoverySettings;
import io.bloomguard.redis.internal.partition.RedisPartition;
import io.bloomguard.redis.internal.replica.ReplicaSync;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The generations of one filter in Redis under one scheme.
 *
 * <p>A filter has one partition unless its image would pass the limit of a Redis string; each
 * partition has a head, images and a journal in a slot of its own. A check reads the words of its
 * key and both ends of the serving image in one command, and trusts them only if both ends carry
 * the seal of the generation that the head named. Any other answer, or none in time, is {@link
 * Membership#UNKNOWN}.
 */
public class RedisGenerations {

  /** Keys in one read command. */
  private static final int CHECK_CHUNK = 128;

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The lower bits of a stamp; the time of the last loss in microseconds is above them. */
  private static final int STAMPED_GENERATION_BITS = 12;

  private final FilterParts parts;
  private final KeyHasher hasher;

  /** Why no absence under this scheme holds here; empty if each does. */
  private final String doubt;

  private final RedisPartition[] partitions;
  private final @Nullable ReplicaSync sync;

  /** One thread while there are recoveries; one task for each partition at most. */
  private final ExecutorService recoveries;

  private final RedisUpkeep upkeep;

  private volatile boolean standsAlone;

  /** Whether an operator has given the word since an empty generation was last asked for. */
  private volatile boolean believed;

  /**
   * Creates a store that looks up its filter in Redis on first use.
   *
   * @throws IllegalArgumentException if the layout is not in blocks
   */
  public RedisGenerations(FilterParts parts, SchemeContext context) {
    RedisFilter filter = parts.filter();
    Limits limits = parts.limits();
    this.parts = parts;
    this.recoveries = RecoverySettings.executor(filter.name());
    this.hasher = context.hasher();
    this.doubt = context.doubt();
    int count = context.partitions();
    this.partitions = new RedisPartition[count];
    FilterShape part = Limits.part(filter.configured(), count);
    Duration retention = filter.journalRetention();
    JournalBound journal = filter.journalBound(count);
    RecoverySettings settling =
        new RecoverySettings(
            limits.lifetime(),
            limits.grace(),
            limits.longestGap(retention),
            parts.refill()::get,
            recoveries);
    ReplicaSettings replica = filter.replica();
    for (int i = 0; i < count; i++) {
      partitions[i] =
          new RedisPartition(
              filter.connections(),
              new PartitionKeys(filter.keyPrefix(), filter.name(), i, context.arriving()),
              Fingerprint.of(filter.name(), part, hasher, count, i),
              journal,
              settling,
              partitions,
              replica == null
                  ? null
                  : new PartitionReplica(replica, journal.span(), parts.clocks()));
    }
    this.upkeep = new RedisUpkeep(parts, partitions, doubt);
    this.sync =
        replica == null
            ? null
            : new ReplicaSync(
                filter.name(),
                partitions,
                replica,
                hasher,
                parts.clocks().monotonic(),
                filter.connections().wakeUps());
  }

  public HashScheme scheme() {
    return HashScheme.of(hasher, partitions.length);
  }

  /** Its hash of keys, with the folding, which decides the keys that are equal. */
  public KeyHasher hasher() {
    return hasher;
  }

  public RedisPartition[] partitions() {
    return partitions;
  }

  /** Sets the mark that the heads may have from now on. */
  public void mark(HashScheme.Mark other) {
    standsAlone = false;
    for (RedisPartition partition : partitions) {
      partition.head().mark(other);
    }
  }

  /** Notes that no other scheme precedes this one any more. */
  public void standAlone() {
    mark(HashScheme.Mark.of(scheme()));
    standsAlone = true;
  }

  /** Whether no other scheme was seen to precede this one any more. */
  public boolean standsAlone() {
    return standsAlone;
  }

  /**
   * Takes over this process' knowledge of the same filter under another scheme.
   *
   * @param comesBack whether the other has replaced this one before: then a head that is older than
   *     those of the other was put back, and lacks the adds since
   */
  public void inheritFrom(RedisGenerations other, boolean comesBack) {
    long newest =
        Arrays.stream(other.partitions).mapToLong(RedisPartition::newestGeneration).max().orElse(0);
    for (int i = 0; i < partitions.length; i++) {
      partitions[i].knowsGeneration(newest);
      if (comesBack && i < other.partitions.length) {
        partitions[i].head().inheritFrom(other.partitions[i].head());
      }
    }
  }

  /** Whether this scheme has replaced another in a partition, as far as known. */
  public boolean hasArrived() {
    return Arrays.stream(partitions).anyMatch(partition -> !partition.keys().arriving());
  }

  /** Whether another scheme has replaced this one in the key's partition, as last read. */
  public boolean hasMoved(long hash) {
    return partitionOf(hash).head().last().condition() == RedisHead.Condition.MOVED;
  }

  /**
   * Reads every head.
   *
   * @throws StoreUnavailableException if one cannot be read
   */
  public void look() {
    for (RedisPartition partition : partitions) {
      partition.builds().awaitConnected(RedisConnections.CONNECT);
      partition.head().read(partition.builds(), RedisConnections.SLOW);
    }
  }

  public long[] hashes(List<String> keys) {
    return keys.stream().mapToLong(hasher::hash).toArray();
  }

  /** The head of the first partition, which every build publishes last. */
  public RedisHead root() {
    return partitions[0].head().last();
  }

  public long generation() {
    RedisImage serving = root().serving();
    return serving == null ? 0 : serving.generation();
  }

  /**
   * Returns the memberships of the keys of hashes, in their order.
   *
   * @param atLeast the time that Redis has, even for few keys; zero for that of a request
   */
  public Membership[] checkHashes(long[] hashes, Duration atLeast) {
    Membership[] answers = new Membership[hashes.length];
    List<PartitionCheck> checks = send(hashes, answers, atLeast);
    Duration patience = patience(checks);
    await(checks, answers, patience.compareTo(atLeast) > 0 ? patience : atLeast);
    return here(answers);
  }

  /** An answer, or UNKNOWN for an absence that does not hold here. */
  private Membership here(Membership answer) {
    return answer == Membership.ABSENT && !doubt.isEmpty() ? Membership.UNKNOWN : answer;
  }

  private Membership[] here(Membership[] answers) {
    if (!doubt.isEmpty()) {
      Arrays.setAll(answers, i -> here(answers[i]));
    }
    return answers;
  }

  /**
   * The time of a batch, in proportion to its keys: on a busy machine the first command's answer
   * may come as late as the last one's, for all of them are on their way at once.
   */
  private Duration patience(List<PartitionCheck> checks) {
    return partitions[0].requests().timeout().multipliedBy(Math.max(1, checks.size()));
  }

  /** Waits for all checks, for that time in sum. */
  private static void await(List<PartitionCheck> checks, Membership[] answers, Duration atMost) {
    long end = System.nanoTime() + atMost.toNanos();
    for (PartitionCheck check : checks) {
      check.await(answers, Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
  }

  /** Writes the answers that are known, and sends the checks of the others. */
  private List<PartitionCheck> send(long[] all, Membership[] answers, Duration atLeast) {
    List<PartitionCheck> checks = new ArrayList<>();
    for (int i = 0; i < partitions.length; i++) {
      int[] own = indexes(i, all);
      for (int from = 0; from < own.length; from += CHECK_CHUNK) {
        int[] indexes = Arrays.copyOfRange(own, from, Math.min(own.length, from + CHECK_CHUNK));
        long[] hashes = new long[indexes.length];
        Arrays.setAll(hashes, at -> all[indexes[at]]);
        if (!partitions[i].known(hashes, indexes, answers)) {
          checks.add(new PartitionCheck(partitions[i], indexes, hashes, !atLeast.isZero()));
        }
      }
    }
    return checks;
  }

  /** The indexes of a partition's hashes, in their order. */
  private int[] indexes(int partition, long[] hashes) {
    return IntStream.range(0, hashes.length).filter(i -> index(hashes[i]) == partition).toArray();
  }

  private static List<Long> at(int[] indexes, long[] hashes) {
    return Arrays.stream(indexes).mapToObj(index -> hashes[index]).toList();
  }

  private int index(long hash) {
    return partitions.length == 1 ? 0 : BlockGeometry.partition(hash, partitions.length);
  }

  /** Returns the memberships of the keys of hashes, for a caller whose thread must not wait. */
  public CompletableFuture<Membership[]> checkHashesAsync(long[] hashes, Executor waiting) {
    if (hashes.length == 1) {
      return partitionOf(hashes[0])
          .checkAsync(hashes[0], waiting)
          .thenApply(answer -> new Membership[] {here(answer)});
    }
    if (Arrays.stream(partitions).anyMatch(partition -> partition.keys().arriving())) {
      // Whether it has arrived is read from Redis.
      return CompletableFuture.supplyAsync(() -> checkHashes(hashes, Duration.ZERO), waiting);
    }
    Membership[] answers = new Membership[hashes.length];
    List<PartitionCheck> checks = send(hashes, answers, Duration.ZERO);
    Duration atMost = patience(checks);
    return CompletableFuture.allOf(
            checks.stream().map(check -> check.ended(atMost)).toArray(CompletableFuture[]::new))
        .thenCompose(
            ended -> {
              List<PartitionCheck> left =
                  checks.stream().filter(check -> !check.tryAnswer(answers)).toList();
              if (left.isEmpty()) {
                return CompletableFuture.completedFuture(here(answers));
              }
              return CompletableFuture.supplyAsync(
                  () -> {
                    await(left, answers, Duration.ZERO);
                    return here(answers);
                  },
                  waiting);
            });
  }

  /** After a loss a new generation may have the number of a lost one. */
  public long servingStamp() {
    long generation = generation();
    return generation == 0 ? 0 : lossStamp() + generation;
  }

  private long lossStamp() {
    return root().trust().losses() << STAMPED_GENERATION_BITS;
  }

  public int removeAll(long[] hashes, long stamp) {
    long generation = stamp == 0 ? 0 : stamp - lossStamp();
    if (stamp != 0 && generation <= 0) {
      return 0;
    }
    int removed = 0;
    for (int i = 0; i < partitions.length; i++) {
      try {
        removed += partitions[i].remove(at(indexes(i, hashes), hashes), generation);
      } catch (RemovalFailedException e) {
        throw e.after(removed);
      }
    }
    return removed;
  }

  public PendingAdd beginAdd(long[] hashes) {
    return beginAdd(hashes, null);
  }

  /** Adds the keys of hashes under a claim. */
  public PendingAdd beginAdd(long[] hashes, Claim claim, ClaimSettings settings) {
    ClaimedAdd first = ClaimedAdd.read(name(), partitions, hashes.length, claim, settings);
    PendingAdd added = beginAdd(hashes, first);
    first.answer(added.isNew());
    return added;
  }

  private PendingAdd beginAdd(long[] hashes, @Nullable ClaimedAdd claimed) {
    boolean[] isNew = new boolean[hashes.length];
    List<PendingAdd.Wait> waits = new ArrayList<>();
    for (int i = 0; i < partitions.length; i++) {
      int[] indexes = indexes(i, hashes);
      RedisPartition.Added added =
          partitions[i].add(at(indexes, hashes), claimed == null ? null : claimed.part(i, indexes));
      for (int at = 0; at < indexes.length; at++) {
        isNew[indexes[at]] = added.isNew().get(at);
      }
      waits.addAll(added.waits());
    }
    return new PendingAdd(isNew, waits);
  }

  public FilterStatus status() {
    FilterStatus none =
        new FilterStatus(FilterState.EMPTY, 0, parts.filter().configured(), 0, 0, 0, false);
    return RedisStatus.of(partitions, none, upkeep::unread);
  }

  /** Whether a partition answers checks too late, and has no copy here that answers. */
  public boolean answersTooLate() {
    return Arrays.stream(partitions).anyMatch(RedisPartition::answersTooLate);
  }

  public KeyExplanation explain(String key) {
    long hash = hasher.hash(key);
    KeyExplanation why = RedisStatus.explain(partitionOf(hash), key, hash);
    return here(why.membership()) == why.membership()
        ? why
        : new KeyExplanation(key, why.bits(), Membership.UNKNOWN, doubt);
  }

  public void serveEmpty(FilterShape shape) {
    partitions[0].builds().awaitConnected(RedisConnections.CONNECT);
    boolean atTheWord = believed;
    believed = false;
    List<RedisPartition> unserved = unserved();
    // A part of the filter may be lost: an empty one denies its keys.
    if (unserved.isEmpty() || unserved.size() < partitions.length && !atTheWord) {
      return;
    }
    if (Arrays.stream(partitions).anyMatch(each -> each.head().last().lineage().isBereft())) {
      throw new StoreUnavailableException(
          "Redis has lost filter '"
              + name()
              + "', and an empty one would reject its keys: add them, then arm it with \"force\":"
              + " true",
          null);
    }
    try (RedisBuild build = begin(shape, UUID.randomUUID().toString(), unserved, null)) {
      build.publish();
    } catch (BuildRunningException e) {
      // Most likely another node that starts too; the generation it serves is served here too.
      long end = System.nanoTime() + RedisConnections.CONNECT.toNanos();
      while (unserved().size() == partitions.length) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** The partitions that serve nothing; a damaged image held keys that an empty one denies. */
  private List<RedisPartition> unserved() {
    return Arrays.stream(partitions)
        .filter(
            partition -> {
              RedisHead head = partition.head().read(partition.builds(), RedisConnections.SLOW);
              return head.serving() == null && head.condition() != RedisHead.Condition.DAMAGED;
            })
        .toList();
  }

  /**
   * Begins a build of all partitions.
   *
   * @param set the image set that is to be loaded; null for keys
   */
  public RedisBuild beginImages(@Nullable ImageSet set, FilterShape shape, String run) {
    return begin(shape, run, List.of(partitions), set);
  }

  private RedisBuild begin(
      FilterShape shape, String run, List<RedisPartition> built, @Nullable ImageSet set) {
    FilterShape part = Limits.part(shape, partitions.length);
    if (!parts.limits().fits(part)) {
      throw new IllegalArgumentException(
          "Filter '"
              + name()
              + "' needs more partitions than its "
              + partitions.length
              + " for "
              + shape.expectedInsertions()
              + " keys: raise expected-insertions and restart every node");
    }
    return RedisBuild.begin(
        new RedisBuild.Order(
            name(),
            partitions,
            built,
            part,
            hasher,
            run,
            parts.limits().lockLifetime(),
            parts.board(),
            parts.origin(),
            parts.filter().keepsPrevious(),
            set));
  }

  public boolean rollback() {
    return new RedisRollback(partitions).run();
  }

  public void believe() {
    believed = true;
    for (RedisPartition partition : partitions) {
      partition.believe();
    }
  }

  private String name() {
    return parts.filter().name();
  }

  /** The size of all journals in Redis at their last maintenance, in bytes. */
  public long journalBytes() {
    return Arrays.stream(partitions).mapToLong(RedisPartition::journalBytes).sum();
  }

  /** Forgets this process' adds: another scheme has replaced this one. */
  public void forgetAdds() {
    for (RedisPartition partition : partitions) {
      partition.forgetAdds();
    }
  }

  public RedisUpkeep upkeep() {
    return upkeep;
  }

  /** Whether this process keeps copies of the partitions; if not, no key is hashed for them. */
  public boolean isCopied() {
    return sync != null;
  }

  public double replicaLagSeconds() {
    return sync == null ? Double.NaN : sync.lagSeconds();
  }

  public CopyWaits copyWaits() {
    CopyWaits sum = CopyWaits.NONE;
    for (RedisPartition partition : partitions) {
      CopyWaits of = partition.copies().waits();
      sum =
          new CopyWaits(
              sum.adds() + of.adds(),
              sum.nanos() + of.nanos(),
              sum.ranOut() + of.ranOut(),
              Math.max(sum.copies(), of.copies()));
    }
    return sum;
  }

  /** Null if there is no replica. */
  @Nullable ReplicaSync sync() {
    return sync;
  }

  /** Starts the replica, if one is configured. */
  public void startReplica() {
    if (sync != null) {
      sync.start();
    }
  }

  /** Stops the replica; does not wait until it has. */
  public void stopReplica() {
    if (sync != null) {
      sync.stop();
    }
  }

  public void close() {
    if (sync != null) {
      sync.close();
    }
    for (RedisPartition partition : partitions) {
      partition.leave();
    }
    recoveries.shutdownNow();
  }

  /** Checks the key of a hash. */
  public Membership checkHash(long hash) {
    return here(partitionOf(hash).check(hash));
  }

  /** The partition of a hash's key. */
  public RedisPartition partitionOf(long hash) {
    return partitions[index(hash)];
  }
}
