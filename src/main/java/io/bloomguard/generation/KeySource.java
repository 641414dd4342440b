package io.bloomguard.generation;

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

  /** Takes the keys of a source. Used by one thread. */
  interface KeySink {

    /**
     * Takes a key of any type {@code io.bloomguard.filter.CanonicalKey} knows. A null, such as
     * SQL's NULL, is no key: it is skipped and counted.
     */
    void accept(@Nullable Object key);

    /** Takes a number, without boxing. */
    void accept(long key);
  }
}
