package io.bloomguard.source.internal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of an SQL query, as far as it can be judged without a database.
 *
 * @param text as it is configured, empty for none
 */
public record SqlQuery(String text) {

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

  private static final Pattern MERGES =
      Pattern.compile(
          "\\bdistinct\\b|\\bgroup\\s+by\\b|\\bunion\\b(?!\\s+all\\b)", Pattern.CASE_INSENSITIVE);

  private static final Pattern AGGREGATE =
      Pattern.compile(
          "\\s*select\\s+(?:count|exists|max|min|sum)\\s*\\(.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  /** {@return the number of question marks outside of literals, quoted names and comments} */
  public int parameters() {
    Matcher tokens = TOKENS.matcher(text);
    int count = 0;
    while (tokens.find()) {
      if (tokens.group(1) != null) {
        count++;
      }
    }
    return count;
  }

  /** {@return whether it yields the key of several rows once: distinct, group by or union} */
  public boolean mergesRows() {
    return MERGES.matcher(text).find();
  }

  /** {@return whether it always has one row, whether it counts any or none} */
  public boolean isAggregate() {
    return AGGREGATE.matcher(text).matches();
  }
}
