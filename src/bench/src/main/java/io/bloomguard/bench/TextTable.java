package io.bloomguard.bench;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Rows of a suite as a table that reads as plain text and as Markdown. */
final class TextTable {

  private TextTable() {}

  static String of(SuiteResult result) {
    return of(new ArrayList<>(result.columns()), result.rows());
  }

  static String of(List<String> columns, List<Map<String, Object>> rows) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(columns);
    for (Map<String, Object> row : rows) {
      lines.add(columns.stream().map(column -> cell(column, row.get(column))).toList());
    }
    int[] widths = new int[columns.size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder table = new StringBuilder();
    for (int n = 0; n < lines.size(); n++) {
      line(table, lines.get(n), widths);
      if (n == 0) {
        rule(table, columns, widths, rows);
      }
    }
    return table.toString();
  }

  private static void line(StringBuilder table, List<String> cells, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      table.append("| ").append(String.format("%-" + widths[i] + "s", cells.get(i))).append(' ');
    }
    table.append("|\n");
  }

  private static void rule(
      StringBuilder table, List<String> columns, int[] widths, List<Map<String, Object>> rows) {
    for (int i = 0; i < widths.length; i++) {
      String column = columns.get(i);
      boolean number = rows.stream().anyMatch(row -> row.get(column) instanceof Number);
      table.append('|').append("-".repeat(widths[i] + 1)).append(number ? ':' : '-');
    }
    table.append("|\n");
  }

  static String cell(String column, Object value) {
    if (value == null) {
      return "";
    }
    if (!(value instanceof Number number) || value instanceof Integer || value instanceof Long) {
      return value.toString();
    }
    double d = number.doubleValue();
    return switch (column) {
      case "ratio" -> String.format(Locale.ROOT, "%.2fx", d);
      // What is left of a byte is the profiler's own.
      case "bytes" -> String.valueOf(Math.round(d));
      default -> significant(d);
    };
  }

  /** Three significant digits, and none dropped before the point. */
  static String significant(double d) {
    if (!Double.isFinite(d)) {
      return String.valueOf(d);
    }
    if (Math.abs(d) >= 100 || Math.abs(d) < 1e-9) {
      return String.valueOf(Math.round(d));
    }
    return BigDecimal.valueOf(d).round(new MathContext(3)).toPlainString();
  }
}
