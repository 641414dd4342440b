package io.bloomguard.changes.internal.record;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a row that make its key: one, or the parts of a list.
 *
 * @param columns the names, in the order of the parts
 */
record KeyColumns(List<String> columns) {

  /** Whether a row has every column. */
  boolean areIn(@Nullable JsonFields row) {
    return row != null && columns.stream().allMatch(row::has);
  }

  /**
   * The key of a row; null if a column is null.
   *
   * @throws UnreadableRecordException if the row lacks a column
   */
  @Nullable Object of(@Nullable JsonFields row) {
    return of(row, null);
  }

  /**
   * The key of a row before some of its columns changed.
   *
   * @param old the earlier values of the columns that changed, null for none
   */
  @Nullable Object of(@Nullable JsonFields row, @Nullable JsonFields old) {
    if (columns.size() == 1) {
      return value(columns.get(0), row, old);
    }
    List<Object> parts = new ArrayList<>(columns.size());
    for (String column : columns) {
      Object part = value(column, row, old);
      if (part == null) {
        return null;
      }
      parts.add(part);
    }
    return parts;
  }

  private @Nullable Object value(
      String column, @Nullable JsonFields row, @Nullable JsonFields old) {
    JsonFields holder = old != null && old.has(column) ? old : row;
    if (holder == null || !holder.has(column)) {
      throw new UnreadableRecordException(
          "A record has no column '" + column + "', which source.changes.key names");
    }
    Object value = holder.get(column);
    if (value instanceof Double || value instanceof Boolean) {
      throw new UnreadableRecordException(
          "The column '"
              + column
              + "' holds neither text nor an integral number, so it is no key of a filter");
    }
    return value;
  }
}
