package io.bloomguard.data.internal.row;

import org.jspecify.annotations.Nullable;

/**
 * The path from a row to a value of one column, which is a key, a part of one, or its scope.
 *
 * @param <R> a row, as its mapper has it
 */
public interface RowPath<R> {

  /** {@return the attribute that the annotation names; empty for the id} */
  String attribute();

  /** {@return the class of the attribute's values} */
  Class<?> type();

  /**
   * {@return the value of a row, as its column holds it; null if there is none yet}
   *
   * @param row the row
   */
  @Nullable Object of(R row);

  /**
   * {@return the form in which the column holds a value; null if it is stored as null}
   *
   * @param value a value of the attribute
   */
  @Nullable Object form(Object value);

  /** {@return whether it is the row's id, or of it, so that a row keeps it while it lives} */
  boolean isOfId();

  /** {@return whether it is the whole id, which no two rows have} */
  boolean isWholeId();

  /** {@return the mapped class of the other row whose id it is; null if it is of this row} */
  default @Nullable String target() {
    return null;
  }
}
