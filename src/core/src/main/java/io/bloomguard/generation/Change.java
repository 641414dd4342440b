package io.bloomguard.generation;

import org.jspecify.annotations.Nullable;

/**
 * A committed change of one row, or of all rows of a table, by any program.
 *
 * @param kind what became of the row
 * @param before the key before the change; null where there was none, or where it is not told
 * @param after the key after the change; null where there is none
 * @param transaction the id of its transaction, as {@link ChangeFeed#transaction} names it; null
 *     where it is not told
 */
public record Change(
    Kind kind, @Nullable Object before, @Nullable Object after, @Nullable String transaction) {

  /**
   * A change of an unknown transaction.
   *
   * @param kind what became of the row
   * @param before the key before the change; null where there was none, or where it is not told
   * @param after the key after the change; null where there is none
   */
  public Change(Kind kind, @Nullable Object before, @Nullable Object after) {
    this(kind, before, after, null);
  }

  /**
   * {@return this change, of a transaction}
   *
   * @param id the id of the transaction; null where it is not told
   */
  public Change of(@Nullable String id) {
    return new Change(kind, before, after, id);
  }

  /** What became of a row. */
  public enum Kind {
    /** It is new. */
    INSERT,
    /** It has changed, its key perhaps too. */
    UPDATE,
    /** It exists: inserted, changed or read, which is not told. */
    PRESENT,
    /** It is gone. */
    DELETE,
    /** All rows of its table are gone. */
    TRUNCATE
  }

  /**
   * {@return the insert of a row}
   *
   * @param key a string, integral number, UUID, or a list of these; null is no key
   */
  public static Change inserted(@Nullable Object key) {
    return new Change(Kind.INSERT, null, key);
  }

  /**
   * {@return the update of a row}
   *
   * @param before the key before it; null if it has not changed, or is not told
   * @param after the key after it
   */
  public static Change updated(@Nullable Object before, @Nullable Object after) {
    return new Change(Kind.UPDATE, before, after);
  }

  /**
   * {@return a row that exists, whether it was inserted, changed or read}
   *
   * @param key the key
   */
  public static Change present(@Nullable Object key) {
    return new Change(Kind.PRESENT, null, key);
  }

  /**
   * {@return the deletion of a row}
   *
   * @param key the key
   */
  public static Change deleted(@Nullable Object key) {
    return new Change(Kind.DELETE, key, null);
  }

  /** {@return the deletion of all rows of a table at once} */
  public static Change truncated() {
    return new Change(Kind.TRUNCATE, null, null);
  }
}
