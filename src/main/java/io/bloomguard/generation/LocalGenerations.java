package io.bloomguard.generation;

import io.bloomguard.filter.BlockedFill;
import io.bloomguard.filter.BlockedFilter;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.GuavaFilter;
import io.bloomguard.filter.KeyFunnel;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.MembershipFilter;
import io.bloomguard.filter.Sizing;
import io.bloomguard.generation.LocalState.Generation;
import io.bloomguard.generation.journal.Journal;
import io.bloomguard.generation.journal.JournalMemory;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RemovalFailedException;
import io.bloomguard.guard.verify.Enforcement;
import io.bloomguard.guard.verify.LocalEnforcement;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The generations of one filter in this JVM's heap: backend {@code local}.
 *
 * <p>What exists is one immutable {@link LocalState}, replaced as a whole: a check is one volatile
 * read and one test. An add appends to the journal, which may refuse it, then adds to every
 * generation of the state, which no transition replaces meanwhile: adds share a lock that a
 * transition has alone. A build registers first and replays the journal second. So for an add and a
 * registration that meet, either the add came second and added to the new generation itself, or it
 * came before the registration and is replayed. And of all adders of a key the serving generation
 * tells one that it was new, whatever is published or rolled back meanwhile: the others find the
 * key in every generation that may serve after it.
 *
 * <p>The generation before the serving one is kept, and kept in step by adds, for the journal's
 * retention after a swap, so that {@link #rollback} loses no add either.
 */
public final class LocalGenerations implements GenerationStore {

  private final String filter;
  private final Function<FilterShape, MembershipFilter> filters;
  private final FilterShape configured;
  private final long retentionNanos;
  private final int helpers;
  private final LongSupplier ticker;

  /** An empty filter of the smallest shape, for the hashes that the journal holds. */
  private final MembershipFilter hashing;

  private final JournalMemory memory;
  private final Journal journal;

  /** What adds hold together. */
  private final Lock adding;

  /** What holds adds off while the state is replaced. */
  private final Lock transition;

  private final @Nullable Snapshot snapshot;
  private volatile LocalState state;
  private final Enforcement enforcement = new LocalEnforcement();
  private long cooldownBegan;
  private Duration cooldown = Duration.ZERO;

  /**
   * A store in which nothing serves yet.
   *
   * @param filter the filter's name, for messages
   * @param filters makes an empty filter of a shape, always with the same hash and secret
   * @param configured the shape that is shown while nothing serves
   * @param journalRetention how long an acknowledged add is replayed into new generations, and how
   *     long the generation before the serving one is kept
   * @param helpers threads that hash the keys of a build besides the one that reads them
   * @param ticker nanoseconds that only go forward, such as {@code System::nanoTime}
   */
  public LocalGenerations(
      String filter,
      Function<FilterShape, MembershipFilter> filters,
      FilterShape configured,
      Duration journalRetention,
      int helpers,
      LongSupplier ticker) {
    this(
        filter,
        filters,
        configured,
        journalRetention,
        JournalMemory.ofOne(filter),
        helpers,
        ticker,
        null);
  }

  /**
   * A store that begins with a snapshot, if one can be read, and writes it after each build.
   *
   * @param memory bounds the journal; beyond it adds are refused
   * @param snapshot what the next process begins with, null for nothing
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
    this.filters = filters;
    this.configured = configured;
    this.retentionNanos = journalRetention.toNanos();
    this.helpers = helpers;
    this.ticker = ticker;
    this.hashing = filters.apply(smallest(configured.layout()));
    this.memory = memory;
    this.journal = new Journal(filter, hashing.hashWords(), journalRetention, ticker, memory);
    this.snapshot = snapshot;
    ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    this.adding = lock.readLock();
    this.transition = lock.writeLock();
    Snapshot.Restored restored = snapshot == null ? null : snapshot.restore();
    this.state = restored == null ? LocalState.EMPTY : LocalState.restored(restored);
  }

  private static FilterShape smallest(Layout layout) {
    return Sizing.shape(layout, 1, 0.1, layout.inBlocks() ? 1 : 0);
  }

  @Override
  public String backend() {
    return "local";
  }

  @Override
  public Membership check(String key) {
    Generation serving = state.serving;
    return serving == null ? Membership.UNKNOWN : serving.answer(serving.bits.mightContain(key));
  }

  @Override
  public Membership check(long key) {
    Generation serving = state.serving;
    return serving == null ? Membership.UNKNOWN : serving.answer(serving.bits.mightContain(key));
  }

  @Override
  public long generation() {
    Generation serving = state.serving;
    return serving == null ? 0 : serving.number;
  }

  @Override
  public String keyHash(String key) {
    Generation serving = state.serving;
    return serving != null && serving.bits instanceof BlockedFilter blocked
        ? HexFormat.of().toHexDigits(blocked.hasher().hash(key))
        : "";
  }

  @Override
  public Membership[] checkAll(List<String> keys) {
    Generation serving = state.serving;
    String[] batch = keys.toArray(new String[0]);
    boolean[] possible = new boolean[batch.length];
    if (serving != null) {
      serving.bits.mightContainAll(batch, batch.length, possible);
    }
    Membership[] answers = new Membership[batch.length];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = serving == null ? Membership.UNKNOWN : serving.answer(possible[i]);
    }
    return answers;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    String[] batch = keys.toArray(new String[0]);
    long[] hash = new long[hashing.hashWords()];
    // Both steps in one hold: a key that a build replayed between them would be new to no adder.
    adding.lock();
    try {
      for (String key : batch) {
        hashing.hash(key, hash);
        journal.append(hash, 0);
      }
      return state.addEach(batch);
    } finally {
      adding.unlock();
    }
  }

  @Override
  public boolean removes() {
    return configured.layout().removes();
  }

  /**
   * From the serving generation alone: the others may not have the keys. Of a snapshot that others
   * than this process may have added to since, nothing is removed.
   *
   * @throws RemovalFailedException if none serves
   */
  @Override
  public int removeAll(List<String> keys, long stamp) {
    Generation serving = state.serving;
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
    LocalState now = state;
    Generation serving = now.serving;
    if (serving == null) {
      FilterState doing = now.building == null ? FilterState.EMPTY : FilterState.WARMING;
      return new FilterStatus(doing, 0, configured, 0, 0, 0, false);
    }
    FilterState unsure = now.building == null ? FilterState.DOUBTFUL : FilterState.WARMING;
    MembershipFilter bits = serving.bits;
    return new FilterStatus(
        serving.denies ? FilterState.READY : unsure,
        serving.number,
        bits.shape(),
        bits.estimatedElements(),
        bits.fillRatio(),
        bits.expectedFalsePositiveProbability(),
        now.previous != null);
  }

  @Override
  public KeyExplanation explain(String key) {
    Generation serving = state.serving;
    if (serving == null) {
      return new KeyExplanation(
          key, List.of(), Membership.UNKNOWN, "No generation serves yet, so nothing is certain.");
    }
    List<KeyExplanation.Bit> bits = KeyBits.of(serving.bits, key);
    boolean possible = serving.bits.mightContain(key);
    String reason =
        (possible ? "Every bit of the key is set" : "At least one bit of the key is not set")
            + " in generation "
            + serving.number
            + ".";
    return new KeyExplanation(
        key,
        bits,
        serving.answer(possible),
        possible || serving.denies
            ? reason
            : reason + " It comes from a snapshot, which keys may have been added after.");
  }

  @Override
  public void serveEmpty(FilterShape shape) {
    if (state.serving == null) {
      try (Build build = beginBuild(shape)) {
        build.publish();
      }
    }
  }

  @Override
  public Build beginBuild(FilterShape shape, String run) {
    if (state.building != null) {
      throw new BuildRunningException(filter);
    }
    MembershipFilter bits = filters.apply(shape);
    try (Journal.Hold held = journal.hold()) {
      LocalBuild build = register(bits, run);
      try {
        // From here on adds go to the new generation too; this brings those acknowledged before,
        // whose rows may become visible only after the source was read.
        held.forEach((hashes, count) -> replay(build.generation, hashes, count));
        return build;
      } catch (Throwable e) {
        build.close();
        throw e;
      }
    }
  }

  private void replay(Generation into, long[] hashes, int count) {
    int words = hashing.hashWords();
    for (int i = 0; i < count; i++) {
      into.addHash(hashes, i * words);
    }
  }

  private LocalBuild register(MembershipFilter bits, String run) {
    transition.lock();
    try {
      LocalState now = state;
      if (now.building != null) {
        throw new BuildRunningException(filter);
      }
      LocalState next = now.withBuilding(bits);
      LocalBuild build = new LocalBuild(Objects.requireNonNull(next.building), run);
      state = next;
      return build;
    } finally {
      transition.unlock();
    }
  }

  @Override
  public boolean rollback() {
    transition.lock();
    try {
      LocalState now = state;
      if (now.previous == null) {
        return false;
      }
      state = now.rolledBack(ticker.getAsLong());
      return true;
    } finally {
      transition.unlock();
    }
  }

  @Override
  public Enforcement enforcement() {
    return enforcement;
  }

  @Override
  public Duration cooldown() {
    transition.lock();
    try {
      Duration rest = cooldown.minusNanos(ticker.getAsLong() - cooldownBegan);
      return rest.isNegative() ? Duration.ZERO : rest;
    } finally {
      transition.unlock();
    }
  }

  @Override
  public Duration startCooldown(Duration length) {
    transition.lock();
    try {
      Duration rest = cooldown();
      if (rest.isZero()) {
        cooldown = length;
        cooldownBegan = ticker.getAsLong();
      }
      return rest;
    } finally {
      transition.unlock();
    }
  }

  @Override
  public void maintain() {
    long time = ticker.getAsLong();
    journal.sweep();
    transition.lock();
    try {
      LocalState now = state;
      if (now.previous != null && time - now.swapped > retentionNanos) {
        state = now.withoutPrevious();
      }
    } finally {
      transition.unlock();
    }
  }

  @Override
  public JournalSize journalSize() {
    return new JournalSize(memory.taken(), 0, memory.bound());
  }

  @Override
  public @Nullable Instant snapshotTime() {
    Generation serving = state.serving;
    return serving == null ? null : serving.snapshotTime;
  }

  @Override
  public KeyFunnel funnel() {
    return hashing instanceof GuavaFilter guava ? guava.funnel() : KeyFunnel.STRING_UTF8;
  }

  @Override
  public boolean isProofDue() {
    Generation serving = state.serving;
    return snapshot != null
        && snapshot.isProofDue()
        && serving != null
        && serving.snapshotTime != null;
  }

  @Override
  public void prove(List<String> keys) {
    transition.lock();
    try {
      LocalState now = state;
      if (snapshot == null || now.serving == null || !isProofDue()) {
        return;
      }
      switch (snapshot.prove(now.serving.bits, keys)) {
        case TRUSTED -> state = now.denying();
        case REFUSED -> state = now.withoutServing();
        case DOUBTED -> {}
      }
    } finally {
      transition.unlock();
    }
  }

  @Override
  public long keysRead() {
    Generation serving = state.serving;
    return serving == null ? 0 : serving.keysRead();
  }

  @Override
  public void save() {
    Generation serving = state.serving;
    if (snapshot == null || serving == null) {
      return;
    }
    // What was restored and not built since would only look newer than it is; unless this process
    // alone adds to it.
    if (serving.snapshotTime == null || snapshot.onlyCopy()) {
      snapshot.write(serving.bits, serving.keysRead());
    }
  }

  private final class LocalBuild implements Build {

    private final Generation generation;
    private final String run;
    private final @Nullable ParallelFill fill;

    LocalBuild(Generation generation, String run) {
      this.run = run;
      this.generation = generation;
      BlockedFill way = generation.fill();
      this.fill =
          way != null && generation.bits instanceof BlockedFilter blocked
              ? new ParallelFill(blocked.hasher(), List.of(way), helpers)
              : null;
    }

    @Override
    public String run() {
      return run;
    }

    @Override
    public void addAll(String[] keys, int count) {
      if (fill != null) {
        fill.addAll(keys, count);
      } else {
        generation.bits.addAll(keys, count);
      }
    }

    @Override
    public void addAll(long[] keys, int count) {
      if (fill != null) {
        fill.addAll(keys, count);
      } else {
        for (int i = 0; i < count; i++) {
          generation.bits.add(keys[i]);
        }
      }
    }

    @Override
    public void publish(long keysRead) {
      generation.wasBuiltFrom(keysRead);
      if (fill != null) {
        fill.finish();
        generation.filled();
      }
      transition.lock();
      try {
        LocalState now = state;
        if (now.building != generation) {
          throw new IllegalStateException(
              "Generation " + generation.number + " of filter '" + filter + "' was given up");
        }
        state = now.published(ticker.getAsLong());
      } finally {
        transition.unlock();
      }
      if (snapshot != null) {
        snapshot.write(generation.bits, keysRead);
      }
    }

    @Override
    public void close() {
      if (fill != null) {
        fill.close();
      }
      transition.lock();
      try {
        LocalState now = state;
        if (now.building == generation) {
          state = now.withoutBuilding();
        }
      } finally {
        transition.unlock();
      }
    }
  }
}
