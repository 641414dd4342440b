package io.bloomguard.generation.internal.local;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyForm;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.BlockedFilter;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.generation.BuildRunningException;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.JournalSize;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.internal.FeedKeepingStore;
import io.bloomguard.generation.internal.FeedRecord;
import io.bloomguard.generation.internal.KnownFalsePositives;
import io.bloomguard.generation.internal.NullEntryCounts;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.generation.internal.claim.LocalClaims;
import io.bloomguard.generation.internal.journal.Journal;
import io.bloomguard.generation.internal.journal.JournalMemory;
import io.bloomguard.generation.internal.local.LocalState.Generation;
import io.bloomguard.generation.internal.snapshot.Snapshot;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.LocalEnforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.image.ImageSet;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The generations of one filter in this JVM's heap: backend {@code local}.
 *
 * <p>The generations are one immutable {@link LocalState}, replaced as a whole: a check is one
 * volatile read and one test. An add appends to the journal, which may refuse it, then adds to
 * every generation of the state; no {@linkplain LocalTransitions transition} replaces the state
 * meanwhile. A build registers first and replays the journal second. So if an add and a
 * registration meet, either the add came second and reached the new generation itself, or it came
 * before the registration and is replayed. Of all callers that add a key, one gets "new" from the
 * serving generation, even if a generation is published or rolled back meanwhile: the others find
 * the key in every generation that may serve after it.
 *
 * <p>The previous generation is kept, and takes adds, for the journal's retention after a swap, so
 * that {@link #rollback} loses no add either.
 */
public final class LocalGenerations implements FeedKeepingStore {

  private final String filter;
  private final LongSupplier ticker;
  private volatile LocalClaims claims;
  private final Function<FilterShape, MembershipFilter> filters;
  private final FilterShape configured;
  private final long retentionNanos;
  private final int helpers;

  /** An empty filter of the smallest shape, for the hashes that the journal holds. */
  private final MembershipFilter hashing;

  private final JournalMemory memory;
  private final Journal journal;

  /** The time of the data of the newest image set that served; null for none. */
  private volatile @Nullable Instant newestSet;

  private final long created;

  private final @Nullable Snapshot snapshot;
  private final LocalTransitions transitions;
  private final LocalCooldown cooldown;
  private final LocalFeedRecord feed;
  private final Enforcement enforcement = new LocalEnforcement();
  private final NullEntryCounts nullEntries = new NullEntryCounts();

  /**
   * A store that begins with a snapshot, if one can be read, and writes it after each build.
   *
   * @param filter the filter's name
   * @param filters makes an empty filter of a shape
   * @param configured the shape of the first generation
   * @param journalRetention the time for which acknowledged adds are remembered
   * @param memory the bound on the journal, beyond which adds are refused
   * @param helpers the threads that hash the keys of a build besides the one that reads, 0 or more
   * @param ticker the clock of the journal and the cooldown, in nanoseconds
   * @param snapshot the file from which the next process begins, null for none
   */
  public LocalGenerations(
      String filter,
      Function<FilterShape, MembershipFilter> filters,
      FilterShape configured,
      Duration journalRetention,
      JournalMemory memory,
      int helpers,
      LongSupplier ticker,
      @Nullable Snapshot snapshot) {
    this.filter = filter;
    this.ticker = ticker;
    this.created = ticker.getAsLong();
    this.claims = new LocalClaims(filter, ClaimSettings.usual(filter), ticker);
    this.filters = filters;
    this.configured = configured;
    this.retentionNanos = journalRetention.toNanos();
    this.helpers = helpers;
    this.hashing = filters.apply(smallest(configured.layout()));
    this.memory = memory;
    this.journal = new Journal(filter, hashing.hashWords(), journalRetention, ticker, memory);
    this.snapshot = snapshot;
    this.cooldown = new LocalCooldown(ticker);
    Snapshot.Restored restored = snapshot == null ? null : snapshot.restore();
    LocalState first =
        restored == null ? LocalState.EMPTY : LocalState.restored(restored, noneKnown());
    this.transitions = new LocalTransitions(filter, first, ticker);
    this.feed = new LocalFeedRecord(ticker, restored == null ? null : restored.position());
  }

  private static FilterShape smallest(Layout layout) {
    return Sizing.shape(layout, 1, 0.1, layout.inBlocks() ? 1 : 0);
  }

  private KnownFalsePositives noneKnown() {
    return new KnownFalsePositives(Duration.ZERO, ticker, journal::contains);
  }

  private @Nullable Generation serving() {
    return transitions.state().serving;
  }

  @Override
  public String backend() {
    return "local";
  }

  @Override
  public boolean answersInMemory() {
    return true;
  }

  @Override
  public Membership check(String key) {
    Generation serving = serving();
    return serving == null ? Membership.UNKNOWN : serving.answer(serving.has(key));
  }

  @Override
  public Membership check(long key) {
    Generation serving = serving();
    return serving == null ? Membership.UNKNOWN : serving.answer(serving.has(key));
  }

  @Override
  public long generation() {
    Generation serving = serving();
    return serving == null ? 0 : serving.number;
  }

  @Override
  public String keyHash(String key) {
    Generation serving = serving();
    return serving != null && serving.bits instanceof BlockedFilter blocked
        ? HexFormat.of().toHexDigits(blocked.hasher().hash(key))
        : "";
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    Generation serving = serving();
    String[] batch = keys.toArray(new String[0]);
    boolean[] possible = new boolean[batch.length];
    if (serving != null) {
      serving.has(batch, possible);
    }
    Membership[] answers = new Membership[batch.length];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = serving == null ? Membership.UNKNOWN : serving.answer(possible[i]);
    }
    return answers;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    return addEach(keys, /* claimed= */ false);
  }

  private boolean[] addEach(List<String> keys, boolean claimed) {
    int words = hashing.hashWords();
    long[] hashes = hashes(keys, words);
    // Both steps under one hold of the lock: a key that a build replayed between them would be new
    // for no adder.
    transitions.adding().lock();
    try {
      // No key is known to be new then, and a claim would keep that for an answer.
      if (claimed && !transitions.state().tells()) {
        throw ClaimSettings.unsettled(filter);
      }
      for (int at = 0; at < hashes.length; at += words) {
        journal.append(hashes, at);
      }
      return transitions.state().addEach(hashes, words);
    } finally {
      transitions.adding().unlock();
    }
  }

  @Override
  public PendingAdd beginAdd(List<String> keys, String claim) {
    return PendingAdd.done(claims.add(keys, claim, () -> addEach(keys, true)));
  }

  /** Sets whether the generation before the serving one is kept for a rollback. */
  public LocalGenerations keepingPrevious(boolean keeps) {
    transitions.keepPrevious(keeps);
    return this;
  }

  /** Sets how the claims on adds are kept; before the first of them. */
  public LocalGenerations with(ClaimSettings settings) {
    claims = new LocalClaims(filter, settings, ticker);
    return this;
  }

  /**
   * The hashes of keys, one after the other, in the form that the journal and every generation
   * take.
   */
  private long[] hashes(List<String> keys, int words) {
    long[] hashes = new long[keys.size() * words];
    long[] hash = new long[words];
    int at = 0;
    for (String key : keys) {
      hashing.hash(key, hash);
      System.arraycopy(hash, 0, hashes, at, words);
      at += words;
    }
    return hashes;
  }

  @Override
  public void foundNothing(String key) {
    Generation serving = serving();
    nullEntries.add(serving == null ? null : serving.foundNothing(key));
  }

  @Override
  public long falsePositives(boolean again) {
    return nullEntries.of(again);
  }

  @Override
  public boolean removes() {
    return configured.layout().removes();
  }

  /**
   * Removes keys from the serving generation alone: the others may not have them. No key is removed
   * from a snapshot to which other processes may have added since.
   *
   * @throws RemovalFailedException if no generation serves
   */
  @Override
  public int removeAll(List<String> keys, long stamp) {
    Generation serving = serving();
    if (serving == null && removes()) {
      throw RemovalFailedException.repeatable(
          "Filter '" + filter + "' could not remove keys: no generation serves", null);
    }
    if (serving == null
        || (stamp != 0 && stamp != serving.number)
        || !(serving.bits instanceof BlockedFilter bits)
        || (serving.snapshotTime != null && !(snapshot != null && snapshot.onlyCopy()))) {
      return 0;
    }
    int removed = 0;
    for (String key : keys) {
      removed += bits.remove(key) ? 1 : 0;
    }
    return removed;
  }

  @Override
  public FilterStatus status() {
    LocalState now = transitions.state();
    Generation serving = now.serving;
    if (serving == null) {
      FilterState doing = now.building == null ? FilterState.EMPTY : FilterState.WARMING;
      return new FilterStatus(doing, 0, configured, 0, 0, 0, false);
    }
    FilterState unsure = now.building == null ? FilterState.DOUBTFUL : FilterState.WARMING;
    MembershipFilter bits = serving.bits;
    return new FilterStatus(
        serving.denies() ? FilterState.READY : unsure,
        serving.number,
        bits.shape(),
        bits.estimatedElements(),
        bits.fillRatio(),
        bits.expectedFalsePositiveProbability(),
        now.previous != null);
  }

  @Override
  public KeyExplanation explain(String key) {
    Generation serving = serving();
    if (serving == null) {
      return new KeyExplanation(
          key, List.of(), Membership.UNKNOWN, "No generation serves yet, so nothing is certain.");
    }
    List<KeyExplanation.Bit> bits = KeyBits.of(serving.bits, key);
    boolean possible = serving.has(key);
    boolean set = possible || serving.knowsAbsent(key);
    String reason =
        (set ? "Every bit of the key is set" : "At least one bit of the key is not set")
            + " in generation "
            + serving.number
            + (set && !possible ? ", but two loads found nothing for it." : ".");
    return new KeyExplanation(
        key,
        bits,
        serving.answer(possible),
        possible || serving.denies()
            ? reason
            : reason
                + (serving.asOf() == null ? " It comes from a snapshot" : " It is an image set")
                + ", which keys may have been added after.");
  }

  @Override
  public void serveEmpty(FilterShape shape) {
    if (serving() == null) {
      try (Build build = beginBuild(shape)) {
        build.publish();
      }
    }
  }

  @Override
  public Build beginBuild(FilterShape shape, String run) {
    return begin(filters.apply(shape), run, null);
  }

  @Override
  public Build beginImages(ImageSet set, FilterShape shape, String run) {
    return hashing instanceof BlockedFilter blocked
        ? begin(new BlockedFilter(shape, blocked.hasher(), set.plan().salt()), run, set)
        : beginBuild(shape, run);
  }

  private Build begin(MembershipFilter bits, String run, @Nullable ImageSet set) {
    if (transitions.state().building != null) {
      throw new BuildRunningException(filter);
    }
    try (Journal.Hold held = journal.hold()) {
      LocalBuild build =
          transitions.register(
              bits,
              noneKnown(),
              next ->
                  new LocalBuild(
                      run, next, transitions, this::published, set, this::wholeSince, helpers));
      try {
        // From here on adds go to the new generation too; the replay adds those acknowledged
        // before, whose rows may become visible only after the source was read.
        held.forEach((hashes, count) -> build.replay(hashes, count, hashing.hashWords()));
        return build;
      } catch (Throwable e) {
        build.close();
        throw e;
      }
    }
  }

  private Instant wholeSince(Instant now) {
    return now.minusNanos(Math.min(retentionNanos, ticker.getAsLong() - created));
  }

  @Override
  public @Nullable Instant imagesAsOf() {
    return newestSet;
  }

  @Override
  public boolean rollback() {
    return transitions.rollBack();
  }

  @Override
  public Enforcement enforcement() {
    return enforcement;
  }

  @Override
  public Duration cooldown() {
    return cooldown.left();
  }

  @Override
  public Duration startCooldown(Duration length) {
    return cooldown.start(length);
  }

  @Override
  public void maintain() {
    journal.sweep();
    transitions.endGrace(retentionNanos);
  }

  @Override
  public JournalSize journalSize() {
    return new JournalSize(memory.taken(), 0, memory.bound());
  }

  @Override
  public @Nullable Instant snapshotTime() {
    Generation serving = serving();
    return serving == null ? null : serving.snapshotTime;
  }

  @Override
  public KeyForm keyForm() {
    return hashing.keyForm();
  }

  @Override
  public void examine(Callable<List<String>> firstKeys) throws Exception {
    Generation serving = serving();
    if (snapshot != null
        && snapshot.isProofDue()
        && serving != null
        && serving.snapshotTime != null) {
      transitions.prove(snapshot, firstKeys.call());
    }
  }

  @Override
  public long keysRead() {
    Generation serving = serving();
    return serving == null ? 0 : serving.keysRead();
  }

  @Override
  public void save() {
    Generation serving = serving();
    if (snapshot == null || serving == null) {
      return;
    }
    // A restored generation without a later build would only look newer than it is, unless this
    // process alone adds to it.
    if (serving.snapshotTime == null || snapshot.onlyCopy()) {
      write(serving);
    }
  }

  private void published(Generation generation) {
    Instant asOf = generation.asOf();
    if (asOf != null) {
      newestSet = asOf;
    }
    write(generation);
  }

  /** Its position is older than its bits, so that no change is skipped. */
  private void write(Generation generation) {
    if (snapshot != null && (generation.denies() || snapshot.onlyCopy())) {
      String position = feed.positionSince(generation.begun());
      snapshot.write(generation.bits, generation.keysRead(), position);
    }
  }

  @Override
  public FeedRecord feedRecord() {
    return feed;
  }

  @Override
  public boolean sharesFeed() {
    return false;
  }
}
