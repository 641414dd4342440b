package io.bloomguard.generation;

import io.bloomguard.image.ImageSet;
import java.io.IOException;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** All keys that exist, read once for each warm-up and rebuild. */
@FunctionalInterface
public interface KeySource {

  /**
   * Passes every key to {@code sink}, in any order, duplicates allowed, in memory that does not
   * grow with their number.
   *
   * @param sink takes the keys, on the calling thread
   * @throws Exception if the source cannot be read to its end; the build is then given up, and the
   *     serving generation continues to serve. The source must not catch exceptions of {@code
   *     sink}.
   */
  void forEach(KeySink sink) throws Exception;

  /**
   * {@return the approximate number of keys, if it is cheap to know; for the progress only}
   *
   * @throws Exception if the count fails; the progress then has no total
   */
  default OptionalLong count() throws Exception {
    return OptionalLong.empty();
  }

  /** {@return whether {@link #forEachRecent} is supported} Decided once; called by any thread. */
  default boolean knowsRecent() {
    return false;
  }

  /**
   * Passes the keys of all rows that were inserted, or changed, since a moment to {@code sink}.
   * More keys do no harm; a key that is left out is denied until the next rebuild. In this way the
   * keys that other programs insert enter the filter between two builds.
   *
   * @param since compared to the timestamp of each row; earlier than the last call by the journal's
   *     retention, for rows that became visible late
   * @param sink takes the keys, on the calling thread
   * @throws Exception if they cannot all be read; the next call asks for them again. The source
   *     must not catch exceptions of {@code sink}.
   */
  default void forEachRecent(Instant since, KeySink sink) throws Exception {
    throw new UnsupportedOperationException("This source does not know recent keys");
  }

  /**
   * {@return the identity of the database that the keys are read from, equal in all processes that
   * read it, and no host; null if it is not known} Processes that share a filter compare it, to
   * find two environments in one Redis. Called at the start and by each build.
   *
   * @throws Exception if the database does not tell it, as if it were not known
   */
  default @Nullable String identity() throws Exception {
    return null;
  }

  /**
   * {@return the lookup of one key; null if the source has none} By default the source itself, if
   * it is one.
   */
  default @Nullable KeyLookup lookup() {
    return this instanceof KeyLookup own ? own : null;
  }

  /** The receiver of a source's keys. Used by one thread. */
  interface KeySink {

    /**
     * Takes a string, integral number, UUID, enum constant, or a list of two or more of these. A
     * null, such as SQL's NULL, is no key: it is skipped and counted.
     *
     * @param key the key, or null
     */
    void accept(@Nullable Object key);

    /**
     * Takes a number, without boxing.
     *
     * @param key the key, hashed in its decimal form
     */
    void accept(long key);

    /**
     * Takes the bits of all keys at once, in place of most of them. Called before any key is
     * passed.
     *
     * @param set the bits, as made for the filter
     * @param files has the set's slices
     * @throws IOException if the files cannot be read
     */
    default void accept(ImageSet set, ImageSet.Files files) throws IOException {
      throw new UnsupportedOperationException("This sink takes keys alone");
    }

    /**
     * Sets the action that cancels the source's present work, such as a statement, until the next
     * call. Another thread calls the action, once at most, when the reading is to end; a source
     * that sets no action is interrupted.
     *
     * @param action null for none
     */
    default void onCancel(@Nullable Runnable action) {}
  }
}
