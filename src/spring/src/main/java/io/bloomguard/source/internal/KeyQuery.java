package io.bloomguard.source.internal;

import io.bloomguard.generation.KeySourceException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query whose rows are keys: by their first column, or by all columns as the parts of a key.
 *
 * @param sql the statement
 * @param fetchSize the rows that the driver is asked for at a time, at least 1
 * @param column the comparison that the column must have; null for no look at it, and keys of one
 *     column
 */
record KeyQuery(String sql, int fetchSize, @Nullable ComparedColumn column) {

  static final String POSTGRES = "PostgreSQL";

  /** Has PostgreSQL refuse a query from which a policy would hide rows, as its own dump does. */
  static final String ALL_ROWS = "set local row_security = off";

  static final String SYSTEM = "select system_identifier from pg_control_system()";

  private static final String NOT_PERMITTED = "42501";

  private static final String PERMISSION =
      ": the role may not read the table, or row security hides rows of it, whose keys would be"
          + " rejected. Give the source a DataSource whose role reads all rows (bypassrls), by a"
          + " KeySource bean";

  KeyQuery {
    sql = sql.strip().replaceAll(";+$", "");
    if (sql.isBlank()) {
      throw new IllegalArgumentException("The query of a key source must not be blank");
    }
    if (fetchSize < 1) {
      throw new IllegalArgumentException("The fetch size must be at least 1, not " + fetchSize);
    }
  }

  /** The values of a row, by their index from 0. */
  interface Values<X extends Exception> {
    @Nullable Object at(int index) throws X;
  }

  /** Whether each column is a part of the key. */
  boolean hasParts() {
    return column != null && column.parts();
  }

  /** The number of columns that are the key, of those that there are. */
  int width(int columns) {
    if (columns == 0) {
      throw new KeySourceException("The key query [" + sql + "] selects no column", null);
    }
    if (hasParts() && columns == 1) {
      throw new KeySourceException(
          "The key query ["
              + sql
              + "] selects one column, but the keys have a scope (keys.scope): select the scope as"
              + " the first column, and the rest of the key behind it",
          null);
    }
    return hasParts() ? columns : 1;
  }

  /** The key of a row; null for none. */
  static <X extends Exception> @Nullable Object key(int width, Values<X> row) throws X {
    if (width == 1) {
      return integral(row.at(0));
    }
    List<@Nullable Object> parts = new ArrayList<>(width);
    for (int i = 0; i < width; i++) {
      parts.add(integral(row.at(i)));
    }
    return parts.contains(null) ? null : parts;
  }

  /** A decimal without a fraction is the integer it stands for; all else is what it is. */
  private static @Nullable Object integral(@Nullable Object key) {
    return key instanceof BigDecimal number && number.stripTrailingZeros().scale() <= 0
        ? number.toBigInteger()
        : key;
  }

  KeySourceException failed(@Nullable String state, Exception cause) {
    String hint = NOT_PERMITTED.equals(state) ? PERMISSION : "";
    return new KeySourceException(
        "The key query [" + sql + "] failed with SQL state " + state + hint, cause);
  }
}
