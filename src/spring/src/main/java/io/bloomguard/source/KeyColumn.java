package io.bloomguard.source;

import io.bloomguard.generation.KeySourceException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.Set;

/** A column of a key query, by the Java type that its values have. */
final class KeyColumn {

  /**
   * Classes whose values have more than one spelling, or none. By the class and not by the SQL
   * type: H2's type of a UUID is {@code BINARY}, PostgreSQL's of a boolean {@code BIT}.
   */
  private static final Set<String> NO_KEYS =
      Set.of(
          "java.lang.Boolean",
          "java.lang.Float",
          "java.lang.Double",
          "java.sql.Date",
          "java.sql.Time",
          "java.sql.Timestamp",
          "java.sql.Blob",
          "java.sql.Clob",
          "java.sql.NClob",
          "java.sql.Array",
          "java.sql.SQLXML",
          "java.time.LocalDate",
          "java.time.LocalTime",
          "java.time.LocalDateTime",
          "java.time.OffsetDateTime",
          "java.time.OffsetTime",
          "java.time.ZonedDateTime",
          "[B",
          "byte[]");

  private KeyColumn() {}

  /** The description of the columns of a key query, with the one at {@code index} as the first. */
  static ResultSetMetaData at(int index, ResultSetMetaData columns) {
    return index == 1
        ? columns
        : (ResultSetMetaData)
            Proxy.newProxyInstance(
                KeyColumn.class.getClassLoader(),
                new Class<?>[] {ResultSetMetaData.class},
                (proxy, method, arguments) -> {
                  try {
                    return arguments == null
                        ? method.invoke(columns)
                        : method.invoke(columns, index);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
  }

  /**
   * Accepts a column whose values can be keys.
   *
   * @throws KeySourceException if none of them can, with the column and its type
   */
  static void require(String sql, ResultSetMetaData columns) throws SQLException {
    if (NO_KEYS.contains(columns.getColumnClassName(1))) {
      throw new KeySourceException(
          "The key query ["
              + sql
              + "] selects the column '"
              + columns.getColumnLabel(1)
              + "' of type "
              + columns.getColumnTypeName(1)
              + ", but a key is text, an integral number or a UUID: select another column, or"
              + " convert this one in the query",
          null);
    }
  }
}
