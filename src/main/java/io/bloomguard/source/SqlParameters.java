package io.bloomguard.source;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the bind parameters of an SQL text, without a database. */
public final class SqlParameters {

  /** What may hold a question mark that is no parameter, and last the one that is. */
  private static final Pattern TOKENS =
      Pattern.compile(
          String.join(
              "|",
              "'(?:[^']|'')*+'",
              "\"(?:[^\"]|\"\")*+\"",
              "`[^`]*+`",
              "--[^\\n]*+",
              "(?s:/\\*.*?\\*/)",
              // An operator of PostgreSQL, as its driver wants it written.
              "\\?\\?",
              "(\\?)"));

  private SqlParameters() {}

  /** How many question marks stand outside of literals, quoted names and comments. */
  public static int count(String sql) {
    Matcher tokens = TOKENS.matcher(sql);
    int count = 0;
    while (tokens.find()) {
      if (tokens.group(1) != null) {
        count++;
      }
    }
    return count;
  }
}
