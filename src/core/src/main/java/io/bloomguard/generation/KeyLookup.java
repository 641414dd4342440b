package io.bloomguard.generation;

/**
 * A key source that can be asked for one key: under which keys of its own it has the rows that a
 * lookup of that key finds.
 *
 * <p>Databases, and the code before them, find a row by more spellings than one: a lookup of {@code
 * 007} finds the row 7, one of {@code ADMIN} the row {@code admin}. The row's own key shows whether
 * a filter lacks the row or only the spelling.
 */
@FunctionalInterface
public interface KeyLookup {

  /**
   * Passes the own keys of the rows that the source finds under a key, as its {@code forEach} does;
   * nothing if it finds none. Called rarely, by any thread; a lookup that takes longer than five
   * seconds is ended as a reading is.
   *
   * @param key a canonical key, folded as the filter's keys are
   * @param sink takes the rows' keys, on the calling thread; of more than ten only the first ten
   *     count
   * @throws UnsupportedOperationException if the source cannot be asked for that key; the message
   *     holds no key
   * @throws Exception if the source is out of reach; it is asked again for the key's next request
   */
  void find(String key, KeySource.KeySink sink) throws Exception;
}
