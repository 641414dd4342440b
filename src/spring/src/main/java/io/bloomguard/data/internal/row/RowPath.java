package io.bloomguard.data.internal.row;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The path from a row to a value of one column, which is a key, a part of one, or its scope.
 *
 * @param <R> a row, as its mapper has it
 * @param attribute the attribute that the annotation names; empty for the id
 * @param type the class of the attribute's values
 * @param value the value of a row; null if there is none yet
 * @param stored the form in which the column holds a value; null if it is stored as null
 * @param isOfId whether it is the row's id, or of it, so that a row keeps it while it lives
 * @param isWholeId whether it is the whole id, which no two rows have
 * @param target the mapped class of the other row whose id it is; null if it is of this row
 */
public record RowPath<R>(
    String attribute,
    Class<?> type,
    Function<R, @Nullable Object> value,
    Function<Object, @Nullable Object> stored,
    boolean isOfId,
    boolean isWholeId,
    @Nullable String target) {

  /**
   * {@return the value of a row, as its column holds it; null if there is none yet}
   *
   * @param row the row
   */
  @Nullable Object of(R row) {
    Object own = value.apply(row);
    return own == null ? null : stored.apply(own);
  }
}
