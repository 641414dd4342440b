package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.MembershipFilter;
import io.bloomguard.guard.Membership;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The generations of one filter in this JVM's heap: backend {@code local}.
 *
 * <p>What exists is one immutable {@link State}, replaced as a whole: a check is one volatile read
 * and one test. An add takes no lock. It adds to every generation of the state it reads, then
 * appends to the journal, then reads the state again and repeats for what is new in it, until
 * nothing is. A build registers first and replays the journal second. So for an add and a
 * registration that meet, either the add's last read of the state saw the registration and added to
 * the new generation itself, or its append came before the registration and is replayed.
 *
 * <p>The generation before the serving one is kept, and kept in step by adds, for the journal's
 * retention after a swap, so that {@link #rollback} loses no add either.
 */
public final class LocalGenerations implements GenerationStore {

  private final String filter;
  private final Function<FilterShape, MembershipFilter> filters;
  private final FilterShape configured;
  private final long retentionNanos;
  private final LongSupplier ticker;
  private final Journal journal;
  private final ReentrantLock transition = new ReentrantLock();
  private volatile State state = new State(null, null, null, 0, 0);

  /**
   * A store in which nothing serves yet.
   *
   * @param filter the filter's name, for messages
   * @param filters makes an empty filter of a shape, always with the same hash and secret
   * @param configured the shape that is shown while nothing serves
   * @param journalRetention how long an acknowledged add is replayed into new generations, and how
   *     long the generation before the serving one is kept
   * @param ticker nanoseconds that only go forward, such as {@code System::nanoTime}
   */
  public LocalGenerations(
      String filter,
      Function<FilterShape, MembershipFilter> filters,
      FilterShape configured,
      Duration journalRetention,
      LongSupplier ticker) {
    this.filter = filter;
    this.filters = filters;
    this.configured = configured;
    this.retentionNanos = journalRetention.toNanos();
    this.ticker = ticker;
    this.journal = new Journal(retentionNanos);
  }

  @Override
  public String backend() {
    return "local";
  }

  @Override
  public Membership check(String key) {
    Generation serving = state.serving;
    return serving == null ? Membership.UNKNOWN : answer(serving.bits.mightContain(key));
  }

  @Override
  public Membership check(long key) {
    Generation serving = state.serving;
    return serving == null ? Membership.UNKNOWN : answer(serving.bits.mightContain(key));
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
      answers[i] = serving == null ? Membership.UNKNOWN : answer(possible[i]);
    }
    return answers;
  }

  @Override
  public int addAll(List<String> keys) {
    String[] batch = keys.toArray(new String[0]);
    State seen = state;
    int changed = seen.addAll(batch, null);
    long now = ticker.getAsLong();
    for (String key : batch) {
      journal.append(key, now);
    }
    for (State next = state; next != seen; next = state) {
      changed = Math.max(changed, next.addAll(batch, seen));
      seen = next;
    }
    return changed;
  }

  @Override
  public FilterStatus status() {
    State now = state;
    Generation serving = now.serving;
    if (serving == null) {
      FilterState doing = now.building == null ? FilterState.EMPTY : FilterState.WARMING;
      return new FilterStatus(doing, 0, configured, 0, 0, 0, false);
    }
    MembershipFilter bits = serving.bits;
    return new FilterStatus(
        FilterState.READY,
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
    return new KeyExplanation(key, bits, answer(possible), reason);
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
  public Build beginBuild(FilterShape shape) {
    if (state.building != null) {
      throw new BuildRunningException(filter);
    }
    MembershipFilter bits = filters.apply(shape);
    Journal.Mark mark = journal.mark(ticker.getAsLong());
    LocalBuild build = register(bits);
    try {
      // From here on adds go to the new generation too; this brings those acknowledged before,
      // whose rows may become visible only after the source was read.
      mark.forEach(bits::add);
      return build;
    } catch (Throwable e) {
      build.close();
      throw e;
    }
  }

  private LocalBuild register(MembershipFilter bits) {
    transition.lock();
    try {
      State now = state;
      if (now.building != null) {
        throw new BuildRunningException(filter);
      }
      Generation generation = new Generation(now.last + 1, bits);
      state = new State(now.serving, generation, now.previous, now.swapped, generation.number);
      return new LocalBuild(generation);
    } finally {
      transition.unlock();
    }
  }

  @Override
  public boolean rollback() {
    transition.lock();
    try {
      State now = state;
      if (now.previous == null) {
        return false;
      }
      state = new State(now.previous, now.building, now.serving, ticker.getAsLong(), now.last);
      return true;
    } finally {
      transition.unlock();
    }
  }

  @Override
  public void maintain() {
    long time = ticker.getAsLong();
    journal.trim(time);
    transition.lock();
    try {
      State now = state;
      if (now.previous != null && time - now.swapped > retentionNanos) {
        state = new State(now.serving, now.building, null, now.swapped, now.last);
      }
    } finally {
      transition.unlock();
    }
  }

  private static Membership answer(boolean possible) {
    return possible ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
  }

  /** A generation: its number, from 1, and its bits. */
  private record Generation(long number, MembershipFilter bits) {}

  /**
   * All there is.
   *
   * @param serving what answers checks, null before the first generation
   * @param building what is being built, null for nothing
   * @param previous what served before, null once its grace is over
   * @param swapped when {@code previous} stopped serving
   * @param last the highest number given to a generation
   */
  private record State(
      @Nullable Generation serving,
      @Nullable Generation building,
      @Nullable Generation previous,
      long swapped,
      long last) {

    /** Adds to every generation that {@code done} has not; see {@link MembershipFilter#addAll}. */
    int addAll(String[] keys, @Nullable State done) {
      int toServing = addTo(serving, keys, done);
      int toBuilding = addTo(building, keys, done);
      addTo(previous, keys, done);
      return serving != null ? toServing : toBuilding;
    }

    private static int addTo(@Nullable Generation generation, String[] keys, @Nullable State done) {
      if (generation == null || (done != null && done.has(generation))) {
        return 0;
      }
      return generation.bits.addAll(keys, keys.length);
    }

    private boolean has(Generation generation) {
      return generation == serving || generation == building || generation == previous;
    }
  }

  private final class LocalBuild implements Build {

    private final Generation generation;

    LocalBuild(Generation generation) {
      this.generation = generation;
    }

    @Override
    public void addAll(String[] keys, int count) {
      generation.bits.addAll(keys, count);
    }

    @Override
    public void publish() {
      transition.lock();
      try {
        State now = state;
        if (now.building != generation) {
          throw new IllegalStateException(
              "Generation " + generation.number + " of filter '" + filter + "' was given up");
        }
        state = new State(generation, null, now.serving, ticker.getAsLong(), now.last);
      } finally {
        transition.unlock();
      }
    }

    @Override
    public void close() {
      transition.lock();
      try {
        State now = state;
        if (now.building == generation) {
          state = new State(now.serving, null, now.previous, now.swapped, now.last - 1);
        }
      } finally {
        transition.unlock();
      }
    }
  }
}
