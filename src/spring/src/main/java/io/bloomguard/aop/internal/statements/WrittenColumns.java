package io.bloomguard.aop.internal.statements;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The columns that a statement sets, or that a key query requires of its rows, by name. */
final class WrittenColumns {

  private static final Pattern UPDATE =
      Pattern.compile("(?is)^\\s*update\\s.*?\\sset\\s(.*?)(?:\\swhere\\s.*)?$");

  private static final Pattern INSERT = Pattern.compile("(?i)^\\s*(?:insert|replace)\\s");

  private static final Pattern ROWS = Pattern.compile("(?i)\\b(values|select)\\b");

  private static final Pattern WHERE =
      Pattern.compile(
          "(?is)\\swhere\\s(.*?)(?:\\s(?:group|order)\\s+by\\s.*|\\slimit\\s.*)?;?\\s*$");

  /** A name with the literal that it is set or compared to, if it is one. */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)(?<![\\w'])(?:[\\w`\"\\[\\]]+\\.)*[`\"\\[]?([a-z_]\\w*)[`\"\\]]?(?!\\w|\\s*\\(|\\.)"
              + "(?:\\s*=\\s*('[^']*'|-?[\\d.]+|true|false)(?=\\s*(?:$|[,)]|and\\b|or\\b)))?");

  private static final Pattern SET = Pattern.compile("(?:^|,)\\s*" + NAMED.pattern());

  private static final Set<String> WORDS =
      Set.of(
          "and", "or", "not", "is", "null", "in", "like", "between", "true", "false", "exists",
          "select", "from", "as", "where");

  private WrittenColumns() {}

  /** The columns that an update sets, each with its literal, empty for any other value. */
  static Map<String, String> set(String statement) {
    Map<String, String> columns = new HashMap<>();
    Matcher update = UPDATE.matcher(statement);
    if (update.matches()) {
      String list = update.group(1);
      Matcher set = SET.matcher(list);
      while (set.find()) {
        if (set.group(2) != null || list.substring(set.end()).strip().startsWith("=")) {
          columns.put(name(set), literal(set));
        }
      }
    }
    return columns;
  }

  /** Whether the rows of an insert are those of a query. */
  static boolean areSelected(String statement) {
    Matcher rows = ROWS.matcher(statement);
    return INSERT.matcher(statement).find()
        && rows.find()
        && rows.group(1).equalsIgnoreCase("select");
  }

  /** The columns that a key query compares, each with its literal, empty for anything else. */
  static Map<String, String> required(String query) {
    Map<String, String> columns = new HashMap<>();
    Matcher where = WHERE.matcher(query);
    if (where.find()) {
      Matcher compared = NAMED.matcher(where.group(1));
      while (compared.find()) {
        if (!WORDS.contains(name(compared))) {
          columns.merge(name(compared), literal(compared), (one, other) -> "");
        }
      }
    }
    return columns;
  }

  /**
   * Whether an update may make a row one that is required: it sets a required column, and not to a
   * literal that is known to be another one.
   */
  static boolean meet(Map<String, String> set, Map<String, String> required) {
    return set.entrySet().stream()
        .anyMatch(
            column -> {
              String literal = required.get(column.getKey());
              return literal != null
                  && (literal.isEmpty()
                      || column.getValue().isEmpty()
                      || literal.equals(column.getValue()));
            });
  }

  private static String name(Matcher named) {
    return named.group(1).toLowerCase(Locale.ROOT);
  }

  private static String literal(Matcher named) {
    return plain(named.group(2) == null ? "" : named.group(2));
  }

  /** A literal in one spelling. */
  static String plain(String literal) {
    String text = literal.replace("'", "").toLowerCase(Locale.ROOT);
    return text.equals("true") ? "1" : text.equals("false") ? "0" : text;
  }
}
