package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.image.ImageSet;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
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
   * Serves an empty first generation, for a filter without a source. Does nothing if a generation
   * serves already.
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  @Override
  void serveEmpty(FilterShape shape);

  /**
   * Begins a build with a random identifier.
   *
   * @param shape the dimensions of the generation
   * @return the build, which the caller closes
   */
  default Build beginBuild(FilterShape shape) {
    return beginBuild(shape, UUID.randomUUID().toString());
  }

  /**
   * Begins to build the next generation. Called by the thread that builds it: from then on no other
   * build begins.
   *
   * @param shape the dimensions of the generation
   * @param run the identifier of the build, by which all processes that share the store know it
   * @return the build, which the caller closes
   * @throws BuildRunningException if any process that shares this store is building one
   * @throws StoreUnavailableException if the store is out of reach
   */
  Build beginBuild(FilterShape shape, String run);

  /**
   * Begins to build the next generation of an image set, with the salt of its images, for {@link
   * Build#load}.
   *
   * @param set the bits, as made for the filter
   * @param shape the dimensions of the generation
   * @param run the identifier of the build, by which all processes that share the store know it
   * @return the build, which the caller closes
   * @throws BuildRunningException if any process that shares this store is building one
   * @throws StoreUnavailableException if the store is out of reach
   */
  default Build beginImages(ImageSet set, FilterShape shape, String run) {
    return beginBuild(shape, run);
  }

  /**
   * Begins a build under the present scheme, so that processes with unequal settings do not migrate
   * a filter back and forth.
   *
   * @param shape the dimensions of the generation
   * @param run the identifier of the build, by which all processes that share the store know it
   * @return the build, which the caller closes
   */
  default Build beginAsItIs(FilterShape shape, String run) {
    return beginBuild(shape, run);
  }

  /**
   * Serves the previous generation again. The one that served is not served again: a rebuild makes
   * a newer one.
   *
   * @return false if no older generation is kept
   * @throws StoreUnavailableException if the store is out of reach
   */
  boolean rollback();

  /**
   * {@return the remaining cooldown, zero for none}
   *
   * @throws StoreUnavailableException if the store is out of reach
   */
  Duration cooldown();

  /**
   * Starts a cooldown for all processes that share this store, unless one is on. Called by the
   * builder.
   *
   * @param length zero for none
   * @return the remaining time of the running cooldown, zero if this one was started
   * @throws StoreUnavailableException if the store is out of reach
   */
  Duration startCooldown(Duration length);

  /**
   * {@return the number of keys that the serving generation was built from, by the report of its
   * build; 0 if that is not known, or none serves} Never throws.
   */
  default long keysRead() {
    return 0;
  }

  /** {@return the status of the builds, shared by all processes that share this store} */
  default RebuildStatusStore rebuildStatus() {
    return RebuildStatusStore.NONE;
  }

  /**
   * {@return the time at which the snapshot was written that serves until the first build has
   * ended; null if a built generation serves, or none}
   */
  default @Nullable Instant snapshotTime() {
    return null;
  }

  /**
   * Examines restored content by keys of the source, if it must be before it is trusted: from then
   * on it serves with its configured trust, or not at all. Too few keys may decide nothing. Called
   * before the warm-up and before each build.
   *
   * @param firstKeys reads the first keys of the source, canonical and within the key rules
   * @throws Exception if the keys could not be read
   */
  default void examine(Callable<List<String>> firstKeys) throws Exception {}

  /**
   * Keeps the serving generation for the next process, if the store does not keep it anyway. Never
   * throws.
   */
  default void save() {}

  /**
   * Sets the recovery of the store from a loss of acknowledged writes, in addition to repeating the
   * adds of this process. Called once, before the store is used.
   *
   * @param canRebuild whether there is a source from which a new generation can be built
   * @param since adds the keys again that have appeared in the source since a moment; may throw,
   *     and ends within its own bound
   */
  default void refillAfterLoss(boolean canRebuild, Consumer<Instant> since) {}

  /**
   * {@return whether a scheme migration waits for a build, which any process may begin} Never
   * throws.
   */
  default boolean isBuildDue() {
    return false;
  }

  /**
   * {@return the time of the data of the newest image set that a generation was built from, kept
   * over a rollback; null for none} Never throws.
   */
  default @Nullable Instant imagesAsOf() {
    return null;
  }

  /** A generation that one thread at a time builds. */
  interface Build extends AutoCloseable {

    /**
     * {@return the identifier of the build, by which all processes that share the store know it}
     */
    String run();

    /**
     * Reports the progress of {@code build} to all processes that share the store, from now until
     * this is closed, and cancels the build if one of them requests it. Never throws.
     *
     * @param build tells the progress, and takes the request to cancel
     */
    default void announce(RunningBuild build) {}

    /**
     * Reports the end of the build to all processes that share the store. Called after the build
     * was closed; never throws.
     *
     * @param report the end of the build, as this process saw it
     */
    default void ended(RebuildReport report) {}

    /**
     * Returns when the source may be read: adds that were acknowledged before and are not in the
     * journal are in the source by then.
     *
     * @throws java.util.concurrent.CancellationException if the build was cancelled meanwhile
     */
    default void awaitSource() {}

    /**
     * Notes that the source is read after the feed of changes has begun, whose later changes reach
     * this generation as adds. Called before the source is read, if there is a feed. Once this
     * generation serves, one that followed an earlier begin is not kept for a rollback: it lacks
     * the changes before this begin, and no process would know.
     *
     * @param begun the number of that begin, 0 if the feed has not begun
     */
    default void follows(long begun) {}

    /**
     * Notes the database that the keys are read from, to be kept with this generation. Called
     * before the source is read.
     *
     * @param source its {@linkplain KeySource#identity identity}, null if it is not known
     */
    default void comesFrom(@Nullable String source) {}

    /**
     * Adds {@code keys[0..count)}, canonical and within the key rules.
     *
     * @param keys canonical keys
     * @param count the number of keys to add, 0 or more
     */
    void addAll(String[] keys, int count);

    /**
     * Adds numbers in their decimal form.
     *
     * @param keys numbers
     * @param count the number of keys to add, 0 or more
     */
    void addAll(long[] keys, int count);

    /**
     * Loads the image set that this was begun for. Called once at most, before a key is added.
     *
     * @param files has the set's slices
     * @param complete whether every key that may have come since the set's {@code asOf} is added to
     *     this generation from elsewhere; otherwise the journal must have them
     * @return why keys that the generation lacks will be unknown; null if they will be absent
     * @throws KeySourceException if the set must not be served
     * @throws IOException if a slice cannot be read, or is not whole
     */
    default @Nullable String load(ImageSet.Files files, boolean complete) throws IOException {
      throw new KeySourceException("The backend of this filter takes no image sets", null);
    }

    /** Serves this generation, with or without keys of a source, in place of the one before. */
    default void publish() {
      publish(0);
    }

    /**
     * Serves this generation in place of the one before.
     *
     * @param keysRead the number of keys that the source yielded, kept with the generation; 0
     *     without a source
     * @throws RuntimeException if that cannot be done safely; the generation before continues to
     *     serve
     */
    void publish(long keysRead);

    /** Gives the generation up unless it was published. */
    @Override
    void close();
  }
}
