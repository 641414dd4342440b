package io.bloomguard.aop.internal.statements;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The table that a statement writes, or that a key query reads, by name. */
final class WrittenTable {

  private static final String NAME = "\\s+([\\w.$`\"\\[\\]]+)";

  private static final Pattern WRITES =
      Pattern.compile(
          "^\\s*(?:(?:insert|replace)(?:\\s+ignore)?\\s+into|update|delete\\s+from)" + NAME,
          Pattern.CASE_INSENSITIVE);

  private static final Pattern READS =
      Pattern.compile("\\bfrom" + NAME + "\\s*(,|\\bjoin\\b)?", Pattern.CASE_INSENSITIVE);

  private WrittenTable() {}

  /** The table of an insert, update or delete; null if the statement has another form. */
  static @Nullable String of(String statement) {
    Matcher matcher = WRITES.matcher(statement);
    // "[]" stands where a part of the name is known only when it runs.
    return matcher.find() && !matcher.group(1).contains("[]") ? plain(matcher.group(1)) : null;
  }

  /** The only table of a key query; null if it reads several, or another query. */
  static @Nullable String readBy(String query) {
    Matcher matcher = READS.matcher(query);
    if (!matcher.find() || matcher.group(2) != null) {
      return null;
    }
    String table = plain(matcher.group(1));
    boolean another = matcher.find() || Pattern.compile("(?i)\\bjoin\\b").matcher(query).find();
    return another ? null : table;
  }

  private static String plain(String name) {
    String unquoted = name.replaceAll("[`\"\\[\\]]", "").toLowerCase(Locale.ROOT);
    return unquoted.substring(unquoted.lastIndexOf('.') + 1);
  }
}
