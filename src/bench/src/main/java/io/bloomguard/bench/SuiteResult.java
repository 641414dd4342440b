package io.bloomguard.bench;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rows of one benchmark class or table, and where they come from.
 *
 * @param name the simple name of the class
 * @param command what was run
 * @param rows each from column to value: text or number
 */
record SuiteResult(String name, String command, Machine machine, List<Map<String, Object>> rows) {

  /** What the class says of itself. */
  Suite suite() {
    try {
      return Class.forName(SuiteResult.class.getPackageName() + "." + name)
          .getAnnotation(Suite.class);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether the class of a kept result is still there. */
  boolean exists() {
    try {
      return suite() != null;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** The file of the i-th plot, beside the page. */
  String plotFile(int i) {
    return name + "-" + (i + 1) + ".svg";
  }

  /** All columns, in the order in which they are first met. */
  Set<String> columns() {
    Set<String> columns = new LinkedHashSet<>();
    rows.forEach(row -> columns.addAll(row.keySet()));
    return columns;
  }

  /** The rows that have all {@code column=value} pairs. */
  List<Map<String, Object>> where(String[] pairs) {
    return rows.stream().filter(row -> matches(row, pairs)).toList();
  }

  /** The columns that tell rows apart; figures, which are all floating, do not. */
  static List<String> varying(List<Map<String, Object>> rows, Set<String> except) {
    Map<String, Set<Object>> values = new LinkedHashMap<>();
    for (Map<String, Object> row : rows) {
      row.forEach(
          (column, value) -> {
            if (!(value instanceof Double) && !except.contains(column)) {
              values.computeIfAbsent(column, c -> new HashSet<>()).add(value);
            }
          });
    }
    return values.entrySet().stream()
        .filter(entry -> entry.getValue().size() > 1)
        .map(Map.Entry::getKey)
        .toList();
  }

  private static boolean matches(Map<String, Object> row, String[] pairs) {
    for (String pair : pairs) {
      int sign = pair.indexOf('=');
      if (!pair.substring(sign + 1).equals(String.valueOf(row.get(pair.substring(0, sign))))) {
        return false;
      }
    }
    return true;
  }
}
