package io.bloomguard.generation;

import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** All keys that exist, read once for each warm-up and rebuild. */
@FunctionalInterface
public interface KeySource {

  /**
   * Hands every key to {@code sink}, in any order, duplicates allowed, in memory that does not grow
   * with their number.
   *
   * @throws Exception if the source cannot be read to its end; the build is then given up and what
   *     served before serves on. What {@code sink} throws must not be caught.
   */
  void forEach(KeySink sink) throws Exception;

  /** How many keys there are, about, where that is cheap to know; for the progress only. */
  default OptionalLong count() throws Exception {
    return OptionalLong.empty();
  }

  /** Whether {@link #forEachRecent} can be asked. Decided once; asked by any thread. */
  default boolean knowsRecent() {
    return false;
  }

  /**
   * Hands over the keys of all rows that were inserted, or changed, since a moment. More keys do no
   * harm; one that is left out is denied until the next rebuild. By this the keys that other
   * programs insert enter the filter between two builds.
   *
   * @param since compared to the time that a row itself bears; earlier than the last call by the
   *     journal's retention, for rows that became visible late
   * @throws Exception if they cannot all be read; the next call asks for them again. What {@code
   *     sink} throws must not be caught.
   */
  default void forEachRecent(Instant since, KeySink sink) throws Exception {
    throw new UnsupportedOperationException("This source does not know recent keys");
  }

  /** Takes the keys of a source. Used by one thread. */
  interface KeySink {

    /**
     * Takes a key of any type {@code io.bloomguard.filter.CanonicalKey} knows. A null, such as
     * SQL's NULL, is no key: it is skipped and counted.
     */
    void accept(@Nullable Object key);

    /** Takes a number, without boxing. */
    void accept(long key);

    /**
     * Says how to cancel what the source does now, such as a statement, until it is said otherwise.
     * It is called by another thread, once at most, when the reading is to end; a source that says
     * nothing is interrupted.
     *
     * @param action null for nothing
     */
    default void onCancel(@Nullable Runnable action) {}
  }
}
