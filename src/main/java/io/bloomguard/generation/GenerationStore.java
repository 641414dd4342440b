package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store whose content is built from a source and replaced as a whole, generation by generation.
 *
 * <p>Generation N serves while N+1 is built. From {@link #beginBuild} on, adds go to both; adds
 * acknowledged shortly before (within the journal's retention) are in N+1 when it is published,
 * because their rows may have committed after the source was read.
 */
public interface GenerationStore extends FilterStore {

  /**
   * Serves an empty first generation where there is none, for a filter without a source. Does
   * nothing where one is served already.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  @Override
  void serveEmpty(FilterShape shape);

  /** As {@link #beginBuild(FilterShape, String)}, with a random identifier. */
  default Build beginBuild(FilterShape shape) {
    return beginBuild(shape, UUID.randomUUID().toString());
  }

  /**
   * Begins to build the next generation. Called by the thread that builds it: from here on no other
   * build begins.
   *
   * @param run the identifier of the build, by which all who share the store know it
   * @throws BuildRunningException if one is being built by anyone who shares this store
   * @throws StoreUnavailableException if the store is out of reach
   */
  Build beginBuild(FilterShape shape, String run);

  /**
   * As {@link #beginBuild(FilterShape, String)}, but begins no scheme migration, so that processes
   * with unequal settings do not migrate a filter back and forth.
   */
  default Build beginAsItIs(FilterShape shape, String run) {
    return beginBuild(shape, run);
  }

  /**
   * Serves the generation before this one again; false where none is kept.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  boolean rollback();

  /**
   * The rest of the cooldown, zero for none.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  Duration cooldown();

  /**
   * Starts a cooldown for all who share this store, unless one is on. Called by the builder.
   *
   * @param length zero for none
   * @return the rest of the running one, zero if this one was started
   * @throws StoreUnavailableException if the store is out of reach
   */
  Duration startCooldown(Duration length);

  /**
   * How many keys the serving generation was built from, as its build has told; 0 if that is not
   * known, or nothing serves. Never throws.
   */
  default long keysRead() {
    return 0;
  }

  /** The status of its builds, as all who share this store know it. */
  default RebuildStatusStore rebuildStatus() {
    return RebuildStatusStore.NONE;
  }

  /**
   * When the snapshot was written that serves until the first build is through, null where a build
   * serves or nothing does.
   */
  default @Nullable Instant snapshotTime() {
    return null;
  }

  /**
   * Whether the serving generation comes from a snapshot that does not record how its keys were put
   * in, so that keys of the source must prove it first.
   */
  default boolean isProofDue() {
    return false;
  }

  /**
   * Judges that snapshot by keys of the source: from then on it serves as it is trusted to, or not
   * at all. Of few keys nothing may follow.
   *
   * @param keys canonical, and within the key rules
   */
  default void prove(List<String> keys) {}

  /** Keeps what serves for the next process, where that is not kept anyway. Never throws. */
  default void save() {}

  /**
   * Sets the recovery of the store from a loss of acknowledged writes, besides adding again this
   * process' adds. Called once, before the store is used.
   *
   * @param canRebuild whether there is a source from which a new generation can be built
   * @param since adds again what has come up in the source since a moment; may throw, and ends
   *     within a bound of its own
   */
  default void refillAfterLoss(boolean canRebuild, Consumer<Instant> since) {}

  /** Whether a scheme migration waits for a build, which any process may begin. Never throws. */
  default boolean isBuildDue() {
    return false;
  }

  /** A generation being built, by one thread at a time. */
  interface Build extends AutoCloseable {

    /** The identifier of the build, by which all who share the store know it. */
    String run();

    /**
     * Reports the progress of {@code build} to all processes that share the store, from now until
     * this is closed, and cancels the build if one of them requests it. Never throws.
     */
    default void announce(RunningBuild build) {}

    /**
     * Reports its end to all processes that share the store. Called after it was closed; never
     * throws.
     */
    default void ended(RebuildReport report) {}

    /**
     * Returns once the source may be read: what is acknowledged before, and not in the journal, is
     * in the source by then.
     *
     * @throws java.util.concurrent.CancellationException if the build was cancelled meanwhile
     */
    default void awaitSource() {}

    /** Adds {@code keys[0..count)}, canonical and within the key rules. */
    void addAll(String[] keys, int count);

    /** The same for numbers in their decimal form. */
    void addAll(long[] keys, int count);

    /** Serves this generation, of a source's keys or of none, in place of the one before. */
    default void publish() {
      publish(0);
    }

    /**
     * Serves this generation in place of the one before.
     *
     * @param keysRead how many keys the source yielded, kept with the generation; 0 if there is
     *     none
     * @throws RuntimeException if that cannot be done safely; what served before serves on
     */
    void publish(long keysRead);

    /** Gives the generation up unless it was published. */
    @Override
    void close();
  }
}
