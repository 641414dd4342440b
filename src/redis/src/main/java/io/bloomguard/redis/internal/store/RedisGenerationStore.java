package io.bloomguard.redis.internal.store;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.JournalSize;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.RebuildStatusStore;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.FeedKeepingStore;
import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.generation.internal.NullEntryCounts;
import io.bloomguard.generation.internal.ReplicatedStore;
import io.bloomguard.generation.internal.claim.Claim;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.image.ImageSet;
import io.bloomguard.redis.internal.build.RedisBuild;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.generation.FilterParts;
import io.bloomguard.redis.internal.generation.Limits;
import io.bloomguard.redis.internal.generation.RedisFilter;
import io.bloomguard.redis.internal.generation.RedisGenerations;
import io.bloomguard.redis.internal.generation.SchemeContext;
import io.bloomguard.redis.internal.image.HashScheme;
import io.bloomguard.redis.internal.migration.ActiveSchemes;
import io.bloomguard.redis.internal.migration.SchemeMigration;
import io.bloomguard.redis.internal.migration.SchemeTracker;
import io.bloomguard.redis.internal.partition.Clocks;
import io.bloomguard.redis.internal.partition.PartitionReplica;
import io.bloomguard.redis.internal.partition.RecoverySettings;
import io.bloomguard.redis.internal.partition.RedisPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The generations of one filter in Redis, under any secret, hash, folding of keys and partition
 * count: backend {@code redis}.
 *
 * <p>The store follows the scheme in Redis. A build under another secret, another hash, another
 * folding or more partitions changes the scheme: adds then go to both, until the built one replaces
 * the other. Until then an absence under the other folding is unknown here, unless keys are exact
 * here: "ADMIN" may be a key where "admin" is one.
 */
public final class RedisGenerationStore implements ReplicatedStore, FeedKeepingStore {

  private static final Logger log = LoggerFactory.getLogger(RedisGenerationStore.class);

  private final RedisFilter filter;
  private final FilterParts parts;
  private volatile ClaimSettings claims;
  private final KeyHasher hasher;
  private final List<HashSecret> secrets;
  private final FeedRecord feedRecord;
  private final SchemeTracker tracker;
  private final NullEntryCounts nullEntries = new NullEntryCounts();

  /**
   * Creates a store that looks up its filter in Redis on first use.
   *
   * @param secret keys the hash of builds here
   * @param others secrets under which the filter may be in Redis, now or later
   * @param hash the hash of builds here
   * @param folding the folding of keys here
   * @throws IllegalArgumentException if the layout cannot be kept in Redis
   */
  public RedisGenerationStore(
      RedisFilter filter,
      HashSecret secret,
      List<HashSecret> others,
      KeyHash hash,
      KeyFolding folding) {
    this(filter, secret, others, hash, folding, Limits.USUAL);
  }

  RedisGenerationStore(
      RedisFilter filter,
      HashSecret secret,
      List<HashSecret> others,
      KeyHash hash,
      KeyFolding folding,
      Limits limits) {
    this(
        filter,
        folding.over(hash.hasher(secret)),
        Stream.concat(Stream.of(secret), others.stream()).toList(),
        limits);
  }

  RedisGenerationStore(
      RedisFilter filter, KeyHasher hasher, List<HashSecret> secrets, Limits limits) {
    this.filter = filter;
    this.claims = ClaimSettings.usual(filter.name());
    this.hasher = hasher;
    this.feedRecord = filter.feedRecord(secrets.get(0));
    this.secrets = secrets;
    this.parts = FilterParts.of(filter, limits, Clocks.SYSTEM);
    int count = limits.partitions(filter.configured());
    SchemeContext context = new SchemeContext(hasher, count, false, hasher.folding());
    this.tracker = new SchemeTracker(parts, secrets, context);
  }

  @Override
  public String backend() {
    return "redis";
  }

  @Override
  public Membership check(String key) {
    RedisGenerations asked = tracker.schemes().current();
    Membership answer = asked.checkHash(asked.hasher().hash(key));
    return answer == Membership.UNKNOWN
        ? completed(asked, List.of(key), new Membership[] {answer})[0]
        : answer;
  }

  @Override
  public Membership check(long key) {
    RedisGenerations asked = tracker.schemes().current();
    Membership answer = asked.checkHash(asked.hasher().hash(key));
    return answer == Membership.UNKNOWN
        ? completed(asked, List.of(Long.toString(key)), new Membership[] {answer})[0]
        : answer;
  }

  @Override
  public long generation() {
    return tracker.schemes().current().generation();
  }

  @Override
  public String keyHash(String key) {
    return HexFormat.of().toHexDigits(tracker.schemes().current().hasher().hash(key));
  }

  @Override
  public Membership checkHash(String keyHash) {
    return tracker.schemes().current().checkHash(HexFormat.fromHexDigitsToLong(keyHash));
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    return checkAll(keys, Duration.ZERO);
  }

  @Override
  public Membership[] checkAll(List<String> keys, Duration atLeast) {
    RedisGenerations asked = tracker.schemes().current();
    return completed(asked, keys, asked.checkHashes(asked.hashes(keys), atLeast));
  }

  @Override
  public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
    RedisGenerations asked = tracker.schemes().current();
    return asked
        .checkHashesAsync(asked.hashes(keys), waiting)
        .thenCompose(
            answers ->
                Arrays.asList(answers).contains(Membership.UNKNOWN)
                    ? CompletableFuture.supplyAsync(() -> completed(asked, keys, answers), waiting)
                    : CompletableFuture.completedFuture(answers));
  }

  /** Asks the other schemes about the keys that the asked one leaves UNKNOWN, in place. */
  @SuppressWarnings("ReferenceEquality") // another object: another scheme serves by now
  private Membership[] completed(RedisGenerations asked, List<String> keys, Membership[] answers) {
    if (!Arrays.asList(answers).contains(Membership.UNKNOWN)) {
      return answers;
    }
    // Another partition count may be known from partition 0 alone.
    RedisPartition root = asked.partitions()[0];
    if (!root.head().last().valid() && !root.requests().breaker().isOpen()) {
      root.head().refreshed(root.head().last());
    }
    tracker.follow();
    ActiveSchemes now = tracker.schemes();
    RedisGenerations current = now.current();
    RedisGenerations next = now.next();
    if (current != asked) {
      complete(current, keys, answers, key -> true);
    }
    if (next != null) {
      // The next scheme answers only in partitions where it has arrived. After its first arrival it
      // has everything, except for adds that a partition took alone after losing its mark.
      complete(next, keys, answers, key -> current.hasMoved(current.hasher().hash(key)));
    }
    return answers;
  }

  /** Asks a scheme about the keys of some kind whose answer is UNKNOWN. */
  private static void complete(
      RedisGenerations by, List<String> keys, Membership[] answers, Predicate<String> which) {
    int[] open =
        IntStream.range(0, answers.length)
            .filter(i -> answers[i] == Membership.UNKNOWN && which.test(keys.get(i)))
            .toArray();
    long[] hashes = IntStream.of(open).mapToLong(i -> by.hasher().hash(keys.get(i))).toArray();
    Membership[] there = by.checkHashes(hashes, Duration.ZERO);
    for (int i = 0; i < open.length; i++) {
      answers[open[i]] = there[i];
    }
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    PendingAdd added = beginAdd(keys);
    added.await();
    return added.isNew();
  }

  @Override
  public PendingAdd beginAdd(List<String> keys) {
    return beginAdd(keys, current -> current.beginAdd(current.hashes(keys)));
  }

  @Override
  public PendingAdd beginAdd(List<String> keys, String claim) {
    if (removes()) {
      // A repeat would count its keys again.
      return ReplicatedStore.super.beginAdd(keys, claim);
    }
    Claim of = Claim.of(claim, keys);
    return beginAdd(keys, current -> current.beginAdd(current.hashes(keys), of, claims));
  }

  /** Sets how the claims on adds are kept. */
  public RedisGenerationStore with(ClaimSettings settings) {
    claims = settings;
    return this;
  }

  private PendingAdd beginAdd(List<String> keys, Function<RedisGenerations, PendingAdd> adder) {
    boolean[] isNew = new boolean[keys.size()];
    List<PendingAdd.Wait> waits = new ArrayList<>();
    if (!Attempts.until(() -> isAdded(keys, adder, isNew, waits))) {
      throw new AddFailedException(
          "Filter '"
              + filter.name()
              + "' could not take an add: its scheme changed again and again",
          null);
    }
    return new PendingAdd(isNew, waits);
  }

  @SuppressWarnings("ReferenceEquality") // another object: a change has begun or ended meanwhile
  private boolean isAdded(
      List<String> keys,
      Function<RedisGenerations, PendingAdd> adder,
      boolean[] isNew,
      List<PendingAdd.Wait> waits) {
    ActiveSchemes now = tracker.schemes();
    try {
      waits.addAll(add(now, keys, adder, isNew));
      return tracker.schemes() == now;
    } catch (AddFailedException e) {
      if (!tracker.follow() && tracker.schemes() == now) {
        throw e;
      }
      return false;
    }
  }

  /**
   * Adds to the next scheme first: in a partition where it has arrived, the current one takes
   * nothing. Only the current one decides which keys are new: if each decided, two adders could be
   * told so.
   */
  private static List<PendingAdd.Wait> add(
      ActiveSchemes now,
      List<String> keys,
      Function<RedisGenerations, PendingAdd> adder,
      boolean[] isNew) {
    List<PendingAdd.Wait> waits = new ArrayList<>();
    RedisGenerations next = now.next();
    if (next != null) {
      waits.addAll(next.beginAdd(next.hashes(keys)).waits());
    }
    PendingAdd current = adder.apply(now.current());
    waits.addAll(current.waits());
    for (int i = 0; i < isNew.length; i++) {
      isNew[i] |= current.isNew()[i];
    }
    return waits;
  }

  @Override
  public boolean removes() {
    return filter.configured().layout().removes();
  }

  @Override
  public long servingStamp() {
    return tracker.schemes().current().servingStamp();
  }

  /** Not during a scheme migration, or under another folding: the keys stay as false positives. */
  @Override
  public int removeAll(List<String> keys, long stamp) {
    ActiveSchemes now = tracker.schemes();
    if (now.next() != null) {
      throw notRemoved("its scheme changes");
    }
    if (!now.current().hasher().folding().equals(hasher.folding())) {
      throw notRemoved("its keys are folded otherwise in Redis, until a rebuild of this process");
    }
    return now.current().removeAll(now.current().hashes(keys), stamp);
  }

  private RemovalFailedException notRemoved(String why) {
    return RemovalFailedException.repeatable(
        "Filter '" + filter.name() + "' could not remove keys: " + why, null);
  }

  @Override
  public FilterStatus status() {
    FilterStatus status = current(RedisGenerations::status);
    RedisGenerations next = tracker.schemes().next();
    if (next == null || status.state() == FilterState.READY) {
      return status;
    }
    FilterStatus there = next.status();
    return next.hasArrived() ? there : status;
  }

  /** What the current scheme says; the next one, if that is known to have replaced it by then. */
  private <T> T current(Function<RedisGenerations, T> ask) {
    T answer = ask.apply(tracker.schemes().current());
    return tracker.follow() ? ask.apply(tracker.schemes().current()) : answer;
  }

  @Override
  public KeyExplanation explain(String key) {
    KeyExplanation explanation = current(scheme -> scheme.explain(key));
    ActiveSchemes now = tracker.schemes();
    RedisGenerations next = now.next();
    return explanation.membership() == Membership.UNKNOWN
            && next != null
            && now.current().hasMoved(now.current().hasher().hash(key))
        ? next.explain(key)
        : explanation;
  }

  @Override
  public void serveEmpty(FilterShape shape) {
    ActiveSchemes now = tracker.look();
    if (now.next() == null) {
      now.current().serveEmpty(shape);
    }
  }

  /** Not during a scheme migration, which makes the heads of the next scheme itself. */
  @Override
  public void prepare() {
    ActiveSchemes now = tracker.schemes();
    if (now.next() == null) {
      now.current().upkeep().prepare();
    }
  }

  @Override
  public Build beginBuild(FilterShape shape, String run) {
    return begin(shape, run, false, null);
  }

  @Override
  public Build beginImages(ImageSet set, FilterShape shape, String run) {
    return begin(shape, run, false, set);
  }

  @Override
  public Build beginAsItIs(FilterShape shape, String run) {
    return begin(shape, run, true, null);
  }

  private Build begin(FilterShape shape, String run, boolean asItIs, @Nullable ImageSet set) {
    ActiveSchemes now = tracker.look();
    RedisGenerations current = now.current();
    RedisGenerations next = now.next();
    if (next == null) {
      SchemeContext wanted = wanted(current.scheme(), shape, asItIs);
      if (wanted.scheme().equals(current.scheme())) {
        return current.beginImages(set, shape, run);
      }
      next = tracker.following(now, wanted);
    }
    SchemeMigration migration = tracker.migration(current, next);
    migration.open();
    next.mark(HashScheme.Mark.arriving(next.scheme(), current.scheme()));
    ActiveSchemes both = new ActiveSchemes(current, next);
    RedisBuild build = next.beginImages(set, fitting(shape, next.scheme().partitions()), run);
    return build.within(
        waits -> {
          tracker.begin(both);
          long token = build.token();
          SchemeMigration.Marked mark =
              waits ? migration.await(token, build::isCancelled) : migration.mark(token);
          build.hasAddsSince(mark.since());
          return migration::finish;
        });
  }

  /** The configured scheme, as text of a head. */
  String wantedHashing() {
    return HashScheme.of(hasher, parts.limits().partitions(filter.configured())).text();
  }

  /**
   * The scheme to build: the configured one or the present one, with as many partitions as needed,
   * but never fewer than there are.
   */
  private SchemeContext wanted(HashScheme current, FilterShape shape, boolean asItIs) {
    int count = Math.max(current.partitions(), parts.limits().partitions(shape));
    HashScheme scheme = asItIs ? current.withPartitions(count) : HashScheme.of(hasher, count);
    SchemeContext wanted = SchemeContext.of(secrets, hasher.folding(), scheme, true);
    if (wanted == null) {
      throw new IllegalStateException("A process knows its own secret");
    }
    return wanted;
  }

  /** The largest shape up to {@code shape} that fits so many partitions. */
  private FilterShape fitting(FilterShape shape, int partitions) {
    FilterShape fitting = shape;
    while (parts.limits().partitions(fitting) > partitions) {
      // The count was fixed when the migration began: the next build, after its end, has more.
      long fewer = fitting.expectedInsertions() - Math.max(1, fitting.expectedInsertions() / 16);
      fitting =
          Sizing.shape(shape.layout(), fewer, shape.falsePositiveProbability(), shape.blockWords());
    }
    return fitting;
  }

  @Override
  public boolean rollback() {
    ActiveSchemes now = tracker.look();
    RedisGenerations next = now.next();
    return next != null && next.hasArrived() ? next.rollback() : now.current().rollback();
  }

  @Override
  public void comesFrom(String source) {
    RedisGenerations current = tracker.schemes().current();
    current.upkeep().comesFrom(RedisBuild.hashed(source, current.hasher()));
  }

  @Override
  public void believe() {
    tracker.schemes().current().believe();
  }

  @Override
  public Duration cooldown() {
    return parts.board().cooldown();
  }

  @Override
  public Duration startCooldown(Duration length) {
    return parts.board().startCooldown(length);
  }

  @Override
  public Enforcement enforcement() {
    return parts.enforcement();
  }

  @Override
  public FeedRecord feedRecord() {
    return feedRecord;
  }

  @Override
  public long keysRead() {
    return tracker.schemes().current().root().keysRead();
  }

  @Override
  public @Nullable Instant imagesAsOf() {
    long asOf = tracker.schemes().current().root().asOf();
    return asOf == 0 ? null : Instant.ofEpochMilli(asOf);
  }

  @Override
  public RebuildStatusStore rebuildStatus() {
    return parts.board();
  }

  @Override
  public void heartbeat() {
    tracker.schemes().all().forEach(each -> each.upkeep().heartbeat());
  }

  @Override
  public JournalSize journalSize() {
    return new JournalSize(
        filter.journalMemory().taken(),
        tracker.schemes().all().stream().mapToLong(RedisGenerations::journalBytes).sum(),
        filter.journalMemory().bound());
  }

  @Override
  public void maintain() {
    tracker.schemes().all().forEach(each -> each.upkeep().maintain());
    tracker.follow();
    try {
      tracker.advance(() -> rebuildStatus().read().running().running());
    } catch (StoreUnavailableException e) {
      log.debug(
          "Filter '{}': a scheme migration could not continue: {}", filter.name(), e.getMessage());
    }
  }

  /** Not during a scheme migration, or under another folding. */
  @Override
  public void foundNothing(String key) {
    ActiveSchemes now = tracker.schemes();
    RedisGenerations current = now.current();
    if (current.isCopied()
        && now.next() == null
        && current.hasher().folding().equals(hasher.folding())) {
      long hash = current.hasher().hash(key);
      PartitionReplica replica = current.partitionOf(hash).replica();
      nullEntries.add(replica == null ? null : replica.foundNothing(hash));
    }
  }

  @Override
  public long falsePositives(boolean again) {
    return nullEntries.of(again);
  }

  @Override
  public boolean likelyPresent(String key) {
    RedisGenerations current = tracker.schemes().current();
    if (!current.isCopied()) {
      return false;
    }
    long hash = current.hasher().hash(key);
    PartitionReplica replica = current.partitionOf(hash).replica();
    return replica != null && replica.likelyPresent(hash);
  }

  @Override
  public CopyWaits copyWaits() {
    return tracker.schemes().current().copyWaits();
  }

  @Override
  public boolean answersTooLate() {
    return tracker.schemes().current().answersTooLate();
  }

  @Override
  public double replicaLagSeconds() {
    return tracker.schemes().current().replicaLagSeconds();
  }

  @Override
  public boolean isBuildDue() {
    return tracker.isBuildDue();
  }

  @Override
  public List<String> warnings() {
    return tracker.schemes().current().upkeep().warnings();
  }

  @Override
  public void refillAfterLoss(boolean canRebuild, Consumer<Instant> since) {
    parts.refill().set(new RecoverySettings.Refill(canRebuild, since));
  }

  @Override
  public void close() {
    tracker.schemes().all().forEach(RedisGenerations::close);
  }
}
